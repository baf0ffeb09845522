import { connect as connectTo } from 'node:net'
import { text as streamText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { routeMethods } from '../../lib/http/router.ts'
import type { Answer } from '../http/answer.ts'
import type { TaskPage } from './api.ts'
import { badCreates, badImports, notUtf8, oversized } from './bad-bodies.ts'
import { badIds, badPages, badQueries, type Refused, unknownRoutes } from './bad-input.ts'
import { connect } from './client.ts'
import { moodyTask } from './moody.ts'
import { openedService } from './opened-service.ts'
import { type Asked, rawSender } from './raw.ts'

const service = openedService()
let raw: ReturnType<typeof rawSender>
let newest: string | undefined
beforeAll(async () => {
  raw = rawSender(service().baseUrl)
  newest = await newestTask()
})
afterAll(() => raw?.[Symbol.dispose]())

const newestTask = async () => {
  const { tasks } = await connect(service().baseUrl).client.listTasks({ query: { limit: 1 } })
  return tasks[0]?.id
}

const expectProblem = ({ headers, json }: Answer, code: string) => {
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(json).toMatchObject({ error: expect.stringMatching(/\S/), code, requestId: headers['x-request-id'] })
  expect(JSON.stringify(json)).not.toMatch(/\n\s+at |node_modules|\/lib\//)
}

/** Words for people, who know no types. */
const PLAIN = /^(?!.*(?:invalid input|expected|received|too small|too big|undefined|NaN)).*\S/is

const expectRefusal = async (asked: Asked, status: number, code: string, fields?: readonly string[]) => {
  const answer = await raw.send(asked)
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(`"${code}"`)])
  expectProblem(answer, code)
  if (!fields) return
  const { details } = answer.json as { details: { path: string; message: string }[] }
  expect(details.map(({ path }) => path).toSorted()).toEqual(fields.toSorted())
  for (const { message } of details) expect(message).toMatch(PLAIN)
}

describe('what does not fit is refused with the field at fault', () => {
  const all: Refused[] = [...badPages, ...badQueries, ...badCreates, ...badImports, ...notUtf8, ...badIds]
  // A rest parameter, since jest hands a callback to a function that has more parameters than a row has values.
  it.each([...all, ...unknownRoutes, ...oversized])('%s', (...[, asked, status, code, fields]: Refused) =>
    expectRefusal(asked, status, code, fields),
  )

  it('names what is wrong with a task of an import in the same words', async () => {
    const body = JSON.stringify({ version: '1.0', tasks: [{ id: 'task_1', priority: 3, title: '' }] })
    const answer = await raw.send({ method: 'POST', path: '/api/tasks/import', body })
    const { errors } = (answer.json as { results: { errors: { message: string }[] } }).results
    expect(errors).toMatchObject([{ index: 0, id: 'task_1', message: expect.stringMatching(PLAIN) }])
    expect(errors[0]?.message).toMatch(/^title: must not be empty; .*status: is required/)
  })

  it('asks nothing of a body that no one reads', async () => {
    const [, asked] = notUtf8[0] as Refused
    expect(await raw.send({ ...asked, path: '/api/notifications/read-all' })).toMatchObject({ status: 200 })
  })

  it('makes no task', async () => {
    expect(await newestTask()).toBe(newest)
  })
})

describe('a body far over the limit', () => {
  const body = JSON.stringify({ title: 'x'.repeat(20_000_000) })
  it.each([
    ['announced', `content-length: ${body.length}\r\n\r\n${body}`],
    ['in chunks', `transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
  ])('is read out, so that who sends all of it before it listens gets the answer: %s', async (_how, rest) => {
    const { hostname, port } = new URL(service().baseUrl)
    const socket = connectTo(Number(port), hostname)
    const text = `POST /api/tasks HTTP/1.1\r\nhost: ${hostname}\r\n${rest}`
    await new Promise((sent, failed) => {
      socket.once('error', failed).write(text, sent)
    })
    const answer = await streamText(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\nconnection: close\r\n.*"code":"body_too_large"/is)
  })
})

describe('a cursor', () => {
  it('is good only for the very list that it was made in, and whole', async () => {
    const { client, create } = connect(service().baseUrl)
    const ids: string[] = []
    for (const title of ['a', 'b', 'c']) ids.unshift((await create(moodyTask(title))).id)
    const { nextCursor: ofList = '' } = await client.listTasks({ query: { limit: 1 } })
    const { nextCursor: ofFilter = '' } = await client.filterTasks({ query: { limit: 1, priority: [3] } })
    expect([ofList, ofFilter]).toEqual([expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/)])
    const flipped = ofList.slice(0, -2) + (ofList.at(-2) === 'A' ? 'B' : 'A') + ofList.slice(-1)
    for (const path of [
      `/api/tasks?cursor=${flipped}`,
      `/api/tasks?cursor=${ofList.slice(0, -1)}`,
      `/api/tasks?cursor=${ofList}${ofList}`,
      `/api/tasks?cursor=${ofFilter}`,
      `/api/tasks?status=queued&cursor=${ofList}`,
      `/api/tasks/filter?cursor=${ofList}`,
      `/api/tasks/filter?cursor=${ofFilter}`,
      `/api/tasks/filter?priority=3&sortOrder=asc&cursor=${ofFilter}`,
      `/api/dlq?cursor=${ofList}`,
      `/api/notifications?cursor=${ofList}`,
    ])
      await expectRefusal({ path }, 400, 'validation_failed', ['cursor'])
    for (const path of [`/api/tasks?cursor=${ofList}`, `/api/tasks/filter?priority=3&cursor=${ofFilter}`]) {
      const { tasks } = (await raw.send({ path })).json as TaskPage
      expect(tasks.slice(0, 2).map(({ id }) => id)).toEqual(ids.slice(1))
    }
  })
})

const pathPattern = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
const all: readonly Route[] = Object.values(routes)
/** Whether a parameter that takes slashes takes the rest of the path. */
const isOfWildcard = (method: string, path: string) =>
  all.some((one) => one.wildcard && one.method === method && path.startsWith(one.path.replace(/\{.*/, '')))

describe('a method that a path does not have', () => {
  it.each([...new Set(all.map(({ path }) => path))])('is 405 with those that it has: %s', async (pattern) => {
    const path = pattern.replaceAll(/\{\w+\}/g, 'some')
    const own = all.filter((route) => pathPattern(route.path).test(path))
    const allowed = [...new Set(own.flatMap(routeMethods))]
    for (const method of ['HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (allowed.includes(method) || isOfWildcard(method, path)) continue
      const answer = await raw.send({ method, path })
      expect(answer.status).toBe(405)
      expect(answer.headers.allow?.split(', ').toSorted()).toEqual(allowed.toSorted())
      if (method !== 'HEAD') expectProblem(answer, 'method_not_allowed')
    }
  })
})
