// Asks running analysts for every analysis in every version of A2UI, has the published renderer draw each surface
// in Chromium, and looks at the page: what the text of the answer says must stand there, and as text.
//
// Usage: draw.js DEMO MARKUP FOLDER
// DEMO is the address of the demo, MARKUP that of a dealer with markup in its data, which the key in the
// environment opens; FOLDER has the bundled pages and gets a picture of each surface.
// Ends with a line "N drawn, M failed"; exits 1 when anything failed.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {chromium} from 'playwright-core';

const [demo, markup, folder] = process.argv.slice(2);
const VERSIONS = {'v0.8': 'page_0_8.js', 'v0.9': 'page_0_9.js', 'v0.9.1': 'page_0_9.js'};
// One question for each analysis, and the file that comes with it.
const OF_DEMO = [
  ['What is in my catalog?'],
  ['Where are the gaps?', 'market.csv'],
  ['What are our price points?'],
  ['Which prices look wrong?'],
  ['How complete is our data?'],
  ['Is anything listed twice?'],
  ['What is out of stock?'],
  ['What has been on the lot over 60 days, by store?'],
  ['How many days supply of trucks do we have?'],
  ['Which Civics are overpriced?', 'market.csv'],
  ['What should I reduce?'],
  ['How old is this data?'],
  ['What disappeared this week?'],
  ['Ten dearest cars'],
  ['Which cars have no leads?'],
  ['xyzzy plugh'],
  ['How much profit did we make?'],
];
const OF_MARKUP = [
  ['Which cars do we have, by exterior colour?'],
  ['List all cars'],
  ['How many cars by model?'],
  ['Where are the gaps?', 'market.csv', '<b>market</b> *1* [x](javascript:alert(1)).csv'],
  ['How many <b>DeLoreans</b> do we have?'],
];

async function ask(url, question, version, files) {
  const parts = [{kind: 'text', text: question}, ...files];
  const response = await fetch(`${url}/analyst`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${process.env.KEY}`,
      'X-A2A-Extensions': `https://a2ui.org/a2a-extension/a2ui/${version}`,
    },
    body: JSON.stringify({jsonrpc: '2.0', id: 1, method: 'message/send', params: {message: {parts}}}),
  });
  const answer = await response.json();
  if (answer.result?.status?.state !== 'completed') throw new Error(JSON.stringify(answer));
  return answer.result.artifacts;
}

function attached(file, name) {
  const bytes = readFileSync(new URL(file, import.meta.url)).toString('base64');
  return {kind: 'file', file: {name, mimeType: 'text/csv', bytes}};
}

// What is to be seen of an answer: each line of its text, of the table each cell.
function expected(text) {
  const lines = text.split('\n').map(line => line.trim()).filter(line => line !== '');
  return lines.flatMap(line => {
    if (/^\|[ -]+\|/.test(line) && !/[^|\- ]/.test(line)) return [];
    if (line.startsWith('| ')) {
      const cells = line.slice(2, -2).split(' | ').map(cell => cell.trim());
      return cells.map(cell => (cell === '-' ? '–' : cell));
    }
    // Titles that the text has and a card does without; the card also shows more rows.
    if (/^(Evidence|How this was counted|What this cannot tell)$/.test(line) || / more\.$/.test(line)) return [];
    return [line.replace(/^- /, '').replace(/^Scope: /, '')];
  });
}

// The text that a person sees on the page, through shadow roots, and the elements that only markup makes.
function seen() {
  const texts = [];
  const foreign = [];
  const visit = node => {
    if (node.nodeType === Node.TEXT_NODE) {
      const element = node.parentElement ?? node.getRootNode().host;
      if (element.checkVisibility({opacityProperty: true, visibilityProperty: true})) texts.push(node.data);
      return;
    }
    if (/^(STYLE|SLOT)$/.test(node.nodeName)) return;
    if (/^(SCRIPT|B|I|IMG|A|IFRAME|SVG)$/i.test(node.nodeName)) foreign.push(node.outerHTML);
    for (const child of node.shadowRoot?.childNodes ?? []) visit(child);
    for (const child of node.childNodes) visit(child);
  };
  visit(document.querySelector('a2ui-surface'));
  return {text: texts.join(' ').replace(/\s+/g, ' '), foreign};
}

const spaces = text => text.replace(/\s+/g, ' ').trim();

// A page with the renderer of a version, on which one surface is drawn after the other.
class Canvas {
  static async open(browser, version) {
    const page = await browser.newPage({viewport: {width: 1000, height: 800}});
    await page.setContent('<!doctype html><meta charset="utf-8"><body style="font: 15px sans-serif"></body>');
    await page.addScriptTag({content: readFileSync(join(folder, VERSIONS[version]), 'utf8')});
    return new Canvas(page, version);
  }

  constructor(page, version) {
    this.page = page;
    this.version = version;
    this.events = [];
    page.on('pageerror', error => this.events.push(`an error on the page: ${error}`));
    page.on('console', line => line.type() === 'error' && this.events.push(`an error on the page: ${line.text()}`));
    page.on('request', request => this.events.push(`the page asked for ${request.url()}`));
    page.on('dialog', dialog => {
      this.events.push(`the page opened a dialog: ${dialog.message()}`);
      return dialog.dismiss();
    });
  }

  // Draws the messages, and says what is wrong with what is to be seen.
  async draw(name, messages, wanted) {
    this.events = [];
    await this.page.evaluate(messages => window.draw(messages), messages);
    await this.page.waitForFunction(
      () => document.querySelector('a2ui-surface')?.getBoundingClientRect().height > 0);
    // Markdown is rendered a moment later.
    await this.page.evaluate(() => new Promise(done => setTimeout(done, 100)));
    const {text, foreign} = await this.page.evaluate(seen);
    await this.page.screenshot({path: join(folder, `${this.version}-${name}.png`), fullPage: true});
    const hidden = wanted.map(spaces).filter(wanted => !text.includes(wanted));
    const problems = [
      ...this.events,
      ...hidden.map(wanted => `not to be seen: ${wanted}`),
      ...foreign.map(html => `markup became an element: ${html.slice(0, 200)}`),
      ...(/\(empty\)|\[object|undefined|\\/.test(text) ? ['a value is drawn wrong'] : []),
      ...(wanted.length < 3 ? ['the answer says next to nothing'] : []),
    ];
    return problems.length > 0 ? [...problems, `the page: ${text.slice(0, 600)}`] : [];
  }
}

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});
let drawn = 0;
let failed = 0;
for (const version of Object.keys(VERSIONS)) {
  const canvas = await Canvas.open(browser, version);
  for (const [url, name, questions] of [[demo, '', OF_DEMO], [markup, 'markup-', OF_MARKUP]]) {
    for (const [place, [question, file, called = file]] of questions.entries()) {
      const files = file ? [attached(file, called)] : [];
      for (const artifact of await ask(url, question, version, files)) {
        const messages = artifact.parts.filter(part => part.kind === 'data').map(part => part.data);
        const picture = `${name}${place + 1}-${artifact.name.toLowerCase().replace(/\W+/g, '-')}`;
        const problems = await canvas.draw(picture, messages, expected(artifact.parts[0].text));
        drawn += 1;
        failed += problems.length > 0;
        if (problems.length > 0) console.log(`${version} ${picture}:\n  ${problems.join('\n  ')}`);
      }
    }
  }
  await canvas.page.close();
}
await browser.close();
console.log(`${drawn} drawn, ${failed} failed`);
process.exitCode = failed > 0 || drawn < 60 ? 1 : 0;
