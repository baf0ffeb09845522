import { setTimeout as sleep } from 'node:timers/promises'
import type { Journal, JournalEntry } from './agent-journal.ts'
import { upTo } from './random.ts'
import type { ReportingAgent } from './reporting-agent.ts'

/** A moment that does not come in this time is missed, and the next one is waited for. */
const MOMENT_MS = 20_000

/** What begins a moment of a run, and the longest time after it that a kill may come. */
export type Moment = { begins: (entry: JournalEntry) => boolean; longestMs: number }
/** An agent is killed in moments of its own: it must be there. */
export type Moments = { any: Moment; agent: Moment }

export const when = (did: JournalEntry['did'], longestMs: number): Moment => ({
  begins: (entry) => entry.did === did,
  longestMs,
})
const isFollowUp = (entry: JournalEntry) =>
  entry.did === 'prompted' && (entry.acts ?? []).some((id) => !/^[^.]+\.0\./.test(id))

/** The moments that every run has after its start. */
export const runMoments = {
  prompt: { any: when('prompted', 300), agent: when('prompted', 200) },
  permission: { any: when('asks', 500), agent: when('asks', 400) },
  result: { any: when('ends', 300), agent: when('ends', 3) },
  'follow-up': {
    any: when('replies', 300),
    agent: { begins: (entry) => entry.did === 'replies' || isFollowUp(entry), longestMs: 200 },
  },
} satisfies Record<string, Moments>

type Plan<Victim extends string, Name extends string> = {
  victims: readonly Victim[]
  moments: Readonly<Record<Name, Moments>>
}

/** Every victim in every moment equally often, in random order, and a table of how often that is. */
export const planKills = <Victim extends string, Name extends string>(
  { victims, moments }: Plan<Victim, Name>,
  count: number,
  random: () => number,
) => {
  const names = Object.keys(moments) as Name[]
  const every = victims.flatMap((victim) => names.map((moment) => ({ victim, moment })))
  const shuffled = () =>
    every
      .map((kill) => ({ kill, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ kill }) => kill)
  const kills = Array.from({ length: Math.ceil(count / every.length) }, shuffled)
    .flat()
    .slice(0, count)
  const times = (victim: Victim, moment: Name) =>
    kills.filter((kill) => kill.victim === victim && kill.moment === moment).length
  const rows = [
    ['', ...names],
    ...victims.map((victim) => [victim, ...names.map((name) => times(victim, name))]),
  ]
  const table = rows.map((cells) => cells.map((cell) => String(cell).padEnd(11)).join('')).join('\n')
  return { kills, table }
}

/** Waits for a moment, and for a random time after it. Resolves to the entry with which it came. */
export const untilMoment = async (journal: Journal, { begins, longestMs }: Moment, random: () => number) => {
  const entry = await journal.next(begins, MOMENT_MS)
  await sleep(upTo(longestMs, random))
  return entry
}

/** The thread, or the workspace, that an entry is about. */
export const threadIn = (entry: JournalEntry | undefined): string | undefined =>
  entry && 'thread' in entry ? entry.thread : undefined

/** Whether the agent of a thread was there to be killed. */
const isKilled = (agents: readonly ReportingAgent[], thread: string | undefined): boolean => {
  const found = agents.map(({ inThread }) => inThread(thread)).find((agent) => agent !== undefined)
  try {
    return found !== undefined && process.kill(found.pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
    return false
  }
}

/** Kills one of the agents in a moment of its run: where it has ended by then, in the next such moment. */
export const killAgentAt = async (
  moment: Moment,
  { agents, journal, random }: { agents: readonly ReportingAgent[]; journal: Journal; random: () => number },
) => {
  while (!isKilled(agents, threadIn(await untilMoment(journal, moment, random))));
}
