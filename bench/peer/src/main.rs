//! The streaming agent of the benchmarks on another implementation of A2A: `bench-peer [FILE]` keeps its
//! tasks in memory, or in a database in that file. It speaks to `bench` as the servers of `bench` do: it
//! says where it listens, and answers each line of its input with the CPU time that it took so far.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use a2a_protocol_server::serve::Server;
use a2a_protocol_server::store::SqliteTaskStore;
use a2a_protocol_server::{EventEmitter, JsonRpcDispatcher, RequestHandlerBuilder, agent_executor};
use a2a_protocol_types::{
    AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part, TaskState,
};
use rustix::time::{ClockId, clock_gettime};

/// Answers a message that says `1000` or `300 1` with so many chunks of one artifact, with so many
/// milliseconds behind each.
struct Chunks;

agent_executor!(Chunks, |context, queue| async {
    let emit = EventEmitter::new(context, queue);
    let text = context.message.text().unwrap_or_default();
    let (count, pause) = text.split_once(' ').unwrap_or((text, ""));
    let pause = pause.parse().ok().map(Duration::from_millis);
    for number in 0..count.parse().unwrap_or(0_usize) {
        let chunk = vec![Part::text("The lot has two of them, one silver, one red. ")];
        emit.artifact("answer", chunk, Some(number > 0), None)
            .await?;
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
    }
    emit.status(TaskState::Completed).await
});

fn main() -> anyhow::Result<()> {
    std::thread::spawn(tell_cpu);
    let file = std::env::args().nth(1);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(file.as_deref()))
}

async fn serve(file: Option<&str>) -> anyhow::Result<()> {
    let server = Server::bind("127.0.0.1:0").await?;
    let address = server.local_addr()?;
    let interface = AgentInterface::jsonrpc(format!("http://{address}/a2a"));
    let card = AgentCard::new("chunks", "1.0.0", interface)
        .with_description("Answers in chunks")
        .with_capabilities(AgentCapabilities::none().with_streaming(true))
        .with_skill(AgentSkill::new("chunks", "Chunks", "Answers in chunks").with_tags(["chunks"]));
    let mut builder = RequestHandlerBuilder::new(Chunks).with_agent_card(card);
    if let Some(file) = file {
        let store = SqliteTaskStore::with_migrations(&format!("sqlite://{file}")).await?;
        builder = builder.with_task_store(store);
    }
    let handler = Arc::new(builder.build()?);
    println!("listening on http://{address}");
    std::io::stdout().flush()?;
    server
        .serve_with_shutdown(JsonRpcDispatcher::new(handler), std::future::pending())
        .await;
    Ok(())
}

/// Ends the process with its input, so that it does not outlive the program that started it.
fn tell_cpu() {
    for _ in std::io::stdin().lock().lines().map_while(Result::ok) {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        println!("{}", time.tv_sec * 1_000_000_000 + time.tv_nsec);
    }
    std::process::exit(0);
}
