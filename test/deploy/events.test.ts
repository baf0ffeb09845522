import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startProgram } from './program.ts'

let program: Awaited<ReturnType<typeof startProgram>>
beforeAll(async () => {
  program = await startProgram(['functions/agentic/events.ts', 'test/fixtures/functions/echo.ts'])
})
afterAll(() => program?.stop())

/** Posts an event as the Lambda Web Adapter does. */
const post = (event: unknown, headers: Record<string, string> = {}, path = '/events') =>
  fetch(program.url + path, { method: 'POST', body: JSON.stringify(event), headers })
const contextHeader = (context: object) => ({ 'x-amzn-lambda-context': JSON.stringify(context) })

describe('the listener of the container', () => {
  it('hands an event to the function and answers what that returns', async () => {
    const answer = await post(
      { Records: [] },
      contextHeader({ request_id: 'r-1', deadline: Date.now() + 60_000 }),
    )
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ event: { Records: [] }, requestId: 'r-1' })
  })

  it.each([
    [3_600_000, 3_000_000],
    [-1, 0],
  ])('tells the function what is left of its time: %d ms', async (ms, least) => {
    const answer = await post({}, contextHeader({ request_id: 'r-1', deadline: Date.now() + ms }))
    const { remainingMs } = (await answer.json()) as { remainingMs: number }
    expect(remainingMs).toBeGreaterThanOrEqual(least)
    expect(remainingMs <= Math.max(0, ms)).toBe(true)
  })

  it.each([
    ['nothing', {}],
    ['no JSON', { 'x-amzn-lambda-context': '{' }],
    ['no deadline', contextHeader({ request_id: 'r-1' })],
  ])(
    'counts on what serverless.yml gives a worker when the adapter says %s',
    async (_, headers: Record<string, string>) => {
      const { remainingMs } = (await (await post({}, headers)).json()) as { remainingMs: number }
      expect(remainingMs).toBeGreaterThan(600_000)
      expect(remainingMs <= 900_000).toBe(true)
    },
  )

  it('fails the invocation when the function fails, so that the queue delivers again', async () => {
    expect((await post({ fail: true })).status).toBe(500)
    expect((await post({})).status).toBe(200)
  })

  it.each(['/', '/events/', '/api/tasks'])('takes no events at %s', async (path) => {
    expect((await post({}, {}, path)).status).toBe(404)
    expect((await fetch(program.url + path)).status).toBe(404)
  })
})
