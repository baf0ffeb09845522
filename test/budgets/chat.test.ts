import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { openLocalApp } from '../../lib/app/local.ts'
import { readConfig } from '../../lib/config/config.ts'
import { type Loopback, onLoopback } from '../../offline/loopback.ts'
import { chunk, DONE, events, startWire, usage, type Wire } from '../fakes/model-wire.ts'
import { until } from '../journeys/api.ts'

let wire: Wire
let app: Awaited<ReturnType<typeof openLocalApp>>
let loopback: Loopback
const open = async (model: string) => {
  wire = await startWire()
  app = await openLocalApp(
    readConfig({
      SERVICE_MODE: 'pico',
      LOG_LEVEL: 'silent',
      OPENAI_API_KEY: 'planted.canary.key',
      OPENAI_BASE_URL: `${wire.origin}/v1`,
      OPENAI_MODEL: model,
    }),
  )
  loopback = await onLoopback(app.server)
  await app.start()
}
const close = async () => {
  await loopback.stop()
  await app.close()
  await wire.close()
}

const call = async (method: string, path: string, body?: object) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${loopback.url}/api/${path}`, {
    method,
    ...(body && { headers, body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined }
}
const conversation = async (): Promise<string> =>
  (await call('POST', 'chat/conversations', {})).body.conversation.id
const month = async () => (await call('GET', 'tasks/analytics')).body.month
const noticeOf = (type: string, title: RegExp) =>
  until(async () => {
    const { notifications } = (await call('GET', 'notifications')).body
    return notifications.find(
      (one: { type: string; title: string }) => one.type === type && title.test(one.title),
    )
  })
const setBudget = (budget: object) => call('PATCH', 'settings', { budget })

/** A million tokens of input: $2.50 of gpt-4o. */
const paid = [usage(1_000_000, 0), DONE]
const answer = events(chunk({ role: 'assistant', content: 'Hello' }), chunk({}, 'stop'), ...paid)
const toolCall = { name: 'list_files', arguments: '{}' }
const callsTool = events(
  chunk({
    role: 'assistant',
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: toolCall }],
  }),
  chunk({}, 'tool_calls'),
  ...paid,
)
const messages = [{ role: 'user', content: 'Hi' }]

/** Each way to ask a model; `id` is a conversation. */
const turns: readonly [name: string, path: (id: string) => string, body: object][] = [
  ['a completion', () => 'chat/completions', { messages }],
  ['a streamed completion', () => 'chat/completions', { messages, stream: true }],
  ['a quick completion', () => 'chat/quick', { prompt: 'Hi' }],
  ['a smart completion', () => 'chat/smart', { messages }],
  ['a message', (id) => `chat/conversations/${id}/messages`, { content: 'Hi' }],
  [
    'a message with tools',
    (id) => `chat/conversations/${id}/messages/with-tools`,
    { content: 'Hi', securityMode: 'full' },
  ],
  ['an agentic turn', (id) => `chat/conversations/${id}/messages/agentic`, { content: 'Hi' }],
]

describe('what chat costs', () => {
  beforeAll(() => open('gpt-4o'))
  afterEach(async () => {
    wire.heard.length = 0
    wire.replies = []
    await setBudget({ monthlyUsd: 0, userMonthlyUsd: 0 })
  })
  afterAll(close)

  it.each(turns)(
    'of %s counts for the month of the installation and of the user',
    async (_name, path, body) => {
      const before = await month()
      wire.replies = [answer]
      expect((await call('POST', path(await conversation()), body)).status).toBe(200)
      const { costUsd, chatCostUsd, own } = await month()
      expect([costUsd, chatCostUsd, own.costUsd].map((usd) => usd - before.costUsd)).toEqual([2.5, 2.5, 2.5])
    },
  )

  it.each(turns)('refuses %s at a budget, before a model is asked', async (_name, path, body) => {
    const id = await conversation()
    for (const budget of [{ monthlyUsd: 1 }, { monthlyUsd: 0, userMonthlyUsd: 1 }]) {
      await setBudget(budget)
      const asked = wire.heard.length
      const refused = await call('POST', path(id), body)
      expect(refused).toMatchObject({ status: 429, body: { code: 'budget_reached' } })
      expect(refused.body.error).toMatch(/^The monthly budget of \$1\.00( of local)? is used up: \$/)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(wire.heard).toHaveLength(asked)
    }
    expect((await call('GET', `chat/conversations/${id}`)).body.messages).toEqual([])
    await noticeOf('budget_reached', /of local is used up$/)
  })

  it('does not end the turn that reaches the budget', async () => {
    const { costUsd } = await month()
    await setBudget({ monthlyUsd: costUsd + 1 })
    wire.replies = [callsTool, answer]
    const path = `chat/conversations/${await conversation()}/messages/with-tools`
    const body = { content: 'Look', securityMode: 'full' }
    const { body: turn } = await call('POST', path, body)
    expect(turn.assistantMessage).toMatchObject({ content: 'Hello', toolCalls: [{ name: 'list_files' }] })
    expect((await month()).costUsd).toBe(costUsd + 5)
    expect(await call('POST', path, body)).toMatchObject({ status: 429 })
  })

  it('shows a user their own budget', async () => {
    expect((await month()).own).not.toHaveProperty('budgetUsd')
    await setBudget({ userMonthlyUsd: 40 })
    expect((await month()).own).toMatchObject({ budgetUsd: 40 })
  })
})

describe('a chat with a model without a price', () => {
  beforeAll(() => open('model-7'))
  afterAll(close)

  it('counts nothing, and admins are told once a budget is set', async () => {
    await setBudget({ monthlyUsd: 1 })
    wire.replies = [answer, answer]
    for (const _ of [1, 2]) expect((await call('POST', 'chat/completions', { messages })).status).toBe(200)
    expect(await month()).toMatchObject({ costUsd: 0, chatCostUsd: 0 })
    await noticeOf('budget_reached', /^Some costs are unknown$/)
  })
})
