/** What became of the operations, as the table of all pairs reads it. */

/** The longest that one check may take, in seconds. */
const LONGEST = 15;

/** The version has no such operation. */
export class Absent extends Error {}

/** Runs every check and prints its row. */
export async function printRows(checks, peer) {
  for (const [name, check] of Object.entries(checks)) {
    let row = ["ok", ""];
    try {
      await within(LONGEST, check(peer));
    } catch (error) {
      // Every check is reported, whatever it fails by.
      row = error instanceof Absent ? ["-", error.message] : ["FAILED", `${error.name}: ${error.message}`];
    }
    console.log([name, ...row.map((cell) => cell.replace(/\s+/g, " ").trim())].join("\t"));
  }
}

async function within(seconds, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${seconds} s`)), seconds * 1000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
