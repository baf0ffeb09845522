import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { until } from './api.ts'
import { type Connection, connect } from './client.ts'
import { type Fuzzed, requests } from './fuzz.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { type Answered, rawSender } from './raw.ts'
import { startService } from './service.ts'

const REQUESTS = Number(process.env.FUZZ ?? 2_000)
const SEED = Number(process.env.FUZZ_SEED ?? 20_260)
const MOST_MS = 30_000 + 5 * REQUESTS
/** Refusals of a state, not of a field, have nothing to name. */
const STATES = ['task_state_conflict', 'dead_letter_not_pending']

/** Ids and cursors of every kind, so that the requests also hit what is there. */
const seed = async ({ client, perform, create }: Connection): Promise<string[]> => {
  const each = <T>(make: (title: string) => Promise<T>) => Promise.all(['a', 'b', 'c', 'd', 'e'].map(make))
  const tasks = [
    await perform(moodyTask('completed')),
    ...(await each((title) => perform(moodyTask(title, { failures: 99 })))),
    ...(await each((title) => create(moodyTask(title, { runMs: 600_000 })))),
  ]
  const { notifications } = await until(async () => {
    const list = await client.listNotifications()
    return list.total === 5 ? list : undefined
  })
  const { items } = await client.listDlq()
  const { nextCursor = '' } = await client.listTasks({ query: { limit: 1 } })
  return [...[...tasks, ...items, ...notifications].map(({ id }) => id), nextCursor]
}

/** What is wrong with an answer, or undefined. */
const faultOf = ({ name, asked }: Fuzzed, { status, text, json }: Answered): string | undefined => {
  const { alsoStatus }: Route = routes[name]
  // An unhealthy service says so by 503; everything else of 500 and more is a fault of ours.
  if (status >= 500) return status === alsoStatus ? undefined : `is ${status}`
  if (asked.method === 'HEAD') return text === '' ? undefined : 'has a body'
  if (status < 400) return text === '' ? 'is empty' : undefined
  return faultOfRefusal(status, (json ?? {}) as Record<string, unknown>)
}

const faultOfRefusal = (status: number, { error, code, requestId, details }: Record<string, unknown>) => {
  if (![error, code, requestId].every((part) => typeof part === 'string'))
    return 'is not in the form of an error'
  if (status !== 400 || STATES.includes(String(code))) return undefined
  const issues = Array.isArray(details) ? details : []
  const isNamed =
    issues.length > 0 && issues.every(({ path, message }) => typeof path === 'string' && message)
  return isNamed ? undefined : 'names no field'
}

/** Whether a handler found what it was asked about. */
const isEntered = ({ status, json }: Answered) =>
  status < 300 || STATES.includes(String((json as { code?: unknown } | undefined)?.code))

describe('every route', () => {
  it(
    `answers ${REQUESTS} requests of any kind with no 5xx, and refusals in one form`,
    async () => {
      using world = moodyWorld()
      await using service = await startService({ ...world, mostMs: MOST_MS })
      using raw = rawSender(service.baseUrl)
      const api = connect(service.baseUrl)
      const entered = new Set<string>()
      const property = fc.asyncProperty(requests(await seed(api)), async (fuzzed) => {
        const answer = await raw.send(fuzzed.asked)
        if (isEntered(answer)) entered.add(fuzzed.name)
        const fault = faultOf(fuzzed, answer)
        if (fault) throw new Error(`The answer ${fault}: ${answer.text.slice(0, 500)}`)
      })
      await fc.assert(property, { numRuns: REQUESTS, seed: SEED, endOnFailure: false })

      // Most refusals came from behind the doors, and what was let in was counted right.
      expect([...entered].toSorted()).toEqual(Object.keys(routes).toSorted())
      expect(service.output()).not.toMatch(/"level":"error"/)
      const { tasks, taskCount } = await api.client.exportTasks()
      const { totalTasks } = await api.client.taskAnalytics()
      expect([taskCount, totalTasks]).toEqual([tasks.length, tasks.length])
    },
    MOST_MS,
  )
})
