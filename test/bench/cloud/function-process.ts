import { subscribe } from 'node:diagnostics_channel'
import { pathToFileURL } from 'node:url'

/**
 * A function in a process of its own, as Lambda keeps one: told its file, it imports it; told an event, it invokes it and
 * says how long that took, what the process spent of a processor, and how often it asked AWS for something.
 */
type Handler = (event: unknown, context: object) => Promise<unknown>
/** `trips` are the times that it waited: calls that are under way together are one. */
export type Told = { ms: number; cpuMs: number; calls: number; trips: number; answer: unknown }

const TIMEOUT_MS = 60_000

let calls = 0
let trips = 0
let underWay = 0
subscribe('http.client.request.start', () => {
  calls += 1
  if (underWay === 0) trips += 1
  underWay += 1
})
subscribe('http.client.response.finish', () => {
  underWay -= 1
})

const watched = async (work: () => Promise<unknown>): Promise<Told> => {
  const before = { calls, trips, cpu: process.cpuUsage(), at: performance.now() }
  const answer = await work()
  const ms = performance.now() - before.at
  const { user, system } = process.cpuUsage(before.cpu)
  return {
    ms,
    cpuMs: (user + system) / 1_000,
    calls: calls - before.calls,
    trips: trips - before.trips,
    answer,
  }
}

const contextUntil = (endsAt: number) => ({
  awsRequestId: 'bench',
  getRemainingTimeInMillis: () => Math.max(0, endsAt - performance.now()),
})

let handler: Handler | undefined
const load = async (file: string) => {
  const loaded = (await import(pathToFileURL(file).href)) as { handler: Handler }
  handler = loaded.handler
}

process.on('message', async ({ file, event }: { file?: string; event?: unknown }) => {
  try {
    const context = contextUntil(performance.now() + TIMEOUT_MS)
    const told = await watched(() =>
      file === undefined ? (handler?.(event, context) ?? fail()) : load(file),
    )
    process.send?.(told.answer === undefined ? { ...told, answer: null } : told)
  } catch (thrown) {
    process.send?.({ thrown: String(thrown) })
  }
})

const fail = (): never => {
  throw new Error('The function was not loaded')
}
