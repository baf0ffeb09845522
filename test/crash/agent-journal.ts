import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Report } from '../fixtures/acp/reporting.ts'

/** What people did, as they did it: `sees` and `decides` are about approvals, `replies` is a message before it is sent. */
export type PeopleNote =
  | { did: 'creates' | 'replies'; thread: string }
  | { did: 'sees'; approval: string; act: string }
  | { did: 'decides'; approval: string; act: string; decision: 'allow-once' | 'deny' }
/** What a runner and its service say to each other: what is asked for, and whether it was answered. */
export type RequestNote = { did: 'asks for' | 'is answered'; what: string; runner: string }
export type JournalEntry = Report | PeopleNote | RequestNote

/**
 * What agents report from inside of their sandboxes and what people do, in one order, outside of the service that is killed.
 * An agent goes on once its report is here.
 */
export const openJournal = async (socket: string) => {
  const entries: JournalEntry[] = []
  const done = new Set<string>()
  const readers = new Set<(entry: JournalEntry) => void>()

  const add = (entry: JournalEntry): void => {
    entries.push(entry)
    for (const read of readers) read(entry)
  }

  /** Whether the act was done, or a person refused it. */
  const isSettled = ({ did, answer }: Report) => did === 'does' || (did === 'hears' && answer === 'no')
  const take = (report: Report): string => {
    const [act = ''] = report.acts ?? []
    add(report)
    if (isSettled(report)) done.add(act)
    return report.did === 'begins' && done.has(act) ? 'done' : 'go'
  }

  const server = createServer({ allowHalfOpen: true }, async (line) => {
    line.on('error', () => undefined)
    const said = await text(line).catch(() => '')
    // A program that was killed may have sent a part.
    if (said.endsWith('\n')) line.end(take(JSON.parse(said)))
    else line.destroy()
  })
  server.listen(socket)
  await once(server, 'listening')
  // Programs in a sandbox are another user.
  chmodSync(socket, 0o666)

  return {
    entries,
    add,
    /** The next entry of a kind; undefined where none comes within the time. */
    next: (isWanted: (entry: JournalEntry) => boolean, mostMs: number): Promise<JournalEntry | undefined> =>
      new Promise((resolve) => {
        const end = (entry?: JournalEntry) => {
          clearTimeout(timer)
          readers.delete(read)
          resolve(entry)
        }
        const read = (entry: JournalEntry) => void (isWanted(entry) && end(entry))
        const timer = setTimeout(end, mostMs)
        readers.add(read)
      }),
    [Symbol.dispose]: () => void server.close(),
  }
}
export type Journal = Awaited<ReturnType<typeof openJournal>>
