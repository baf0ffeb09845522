import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { calling, saying, startWire, type Wire } from '../fakes/model-wire.ts'
import { eventsIn, readOn, startAgentic } from './agentic-events.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { type Environment, isOffline, type Service, startService, temporaryFolder } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: a stack of functions is not stopped in the middle of a call\n')
const oneProcess = isOffline ? it.skip : it

const folder = temporaryFolder()
const ORPHAN_MS = 500
const TIMEOUT_MS = 8_000
let wire: Wire
let env: Environment
let service: Service
beforeAll(async () => {
  wire = await startWire()
  env = {
    DATA_DIR: folder.in('data'),
    AGENTIC_ORPHAN_MS: String(ORPHAN_MS),
    AGENTIC_TIMEOUT_MS: String(TIMEOUT_MS),
    OPENAI_BASE_URL: `${wire.origin}/v1`,
    OPENAI_MODEL: 'model-7',
    OPENAI_API_KEY: 'planted_1234567890',
    DEFAULT_PROVIDER: 'openai',
  }
  service = await startService({ env })
})
afterAll(async () => {
  await service?.kill9()
  await wire?.close()
  folder[Symbol.dispose]()
})

const client = () => connect(service.baseUrl).client
const converse = async (): Promise<string> =>
  (await client().createConversation({ body: {} })).conversation.id
/** What the model answers, step by step. */
const script = (...replies: Wire['replies']) => {
  wire.heard.length = 0
  wire.replies = replies
}

const listCalls = async (conversationId: string) =>
  (await client().listToolCalls({ query: { conversationId } })).entries

const firstSession = async (conversationId: string) => {
  const { sessions } = await client().listAgentSessions({ query: { conversationId } })
  return sessions[0] ?? { id: '', status: 'none' }
}

describe('a tool call that is stopped', () => {
  const ended = async (id: string) => {
    const session = await until(async () => {
      const found = await firstSession(id)
      return found.status === 'running' || found.status === 'none' ? undefined : found
    })
    const path = `${service.baseUrl}/api/chat/sessions/${session.id}/events`
    return { session, events: eventsIn(await (await fetch(path)).text()) }
  }

  oneProcess.each<[how: string, code: string, stop: (id: string, leave: () => void) => unknown]>([
    [
      'by its user',
      'CANCELLED',
      async (id) => client().cancelAgentSession({ params: { id: (await firstSession(id)).id } }),
    ],
    ['by its time limit', 'TIMEOUT', () => undefined],
    ['since its reader left', 'ORPHANED', (_id, leave) => leave()],
    [
      'by a shutdown of the service, without a reader',
      'SHUTDOWN',
      async (_id, leave) => {
        leave()
        expect((await service.stop()).code).toBe(0)
        service = await startService({ env })
      },
    ],
  ])('%s is on record once, with its result before the last event', async (_how, code, stop) => {
    const id = await converse()
    const reader = new AbortController()
    script(calling(['run_command', { command: 'sleep', args: ['60'] }]), saying('Never'))
    const { signal } = reader
    const response = await startAgentic(service.baseUrl, id, { content: 'Sleep' }, { signal })
    await readOn(response, 'tool:call')
    await stop(id, () => reader.abort())
    const { events, session } = await ended(id)
    expect(session.status).toBe(code === 'CANCELLED' ? 'cancelled' : 'failed')
    expect(events.slice(-3)).toMatchObject([
      { type: 'tool:call' },
      { type: 'tool:result', data: { result: { success: false, error: 'TOOL_ERROR' } } },
      { type: 'error', data: { code } },
    ])
    const entries = await listCalls(id)
    expect(entries).toMatchObject([
      { tool: 'run_command', userId: 'local', mode: 'full', decision: 'allowed', failed: true },
    ])
    expect(entries[0]?.result).toMatch(/^Stopped before its end: /)
    const { messages } = await client().getConversation({ params: { id } })
    expect(messages.at(-1)?.toolCalls).toMatchObject([{ name: 'run_command', status: 'error' }])
  })
})

describe('a turn with tools that is under way at a shutdown', () => {
  oneProcess('has its call on record, and says why it ended', async () => {
    const id = await converse()
    const sleeps = ['run_command', { command: 'sleep', args: ['60'] }] as const
    script(calling(['list_files', {}], sleeps), saying('Never'))
    const body = { content: 'Sleep', securityMode: 'full' } as const
    const sent = client()
      .sendMessageWithTools({ params: { id }, body })
      .catch(() => undefined)
    await until(async () => ((await listCalls(id)).length > 0 ? true : undefined))
    expect((await service.stop()).code).toBe(0)
    await sent
    service = await startService({ env })
    expect(await listCalls(id)).toMatchObject([
      { tool: 'run_command', failed: true, result: expect.stringMatching(/^Stopped before its end: /) },
      { tool: 'list_files', failed: false },
    ])
    const { messages } = await client().getConversation({ params: { id } })
    expect(messages.at(-1)).toMatchObject({
      error: { code: 'shutting_down' },
      toolCalls: [{ status: 'success' }, { status: 'error' }],
    })
  })
})

describe('a task that is cancelled during a call', () => {
  oneProcess(
    'has the call on record once, with its result before the last event of its session',
    async () => {
      script(calling(['run_command', { command: 'sleep', args: ['60'] }]), saying('Never'))
      const { task } = await client().createTask({ body: { title: 'Sleep' } })
      const sessionId = await until(async () => {
        const { sessions } = await client().listAgentSessions({ query: { taskId: task.id } })
        return sessions[0]?.id
      })
      const path = `${service.baseUrl}/api/chat/sessions/${sessionId}/events`
      const { rest } = await readOn(await fetch(path), 'tool:call')
      await client().cancelTask({ params: { id: task.id } })
      expect((await rest).slice(-3)).toMatchObject([
        { type: 'tool:call' },
        { type: 'tool:result', data: { result: { success: false } } },
        { type: 'error', data: { code: 'CANCELLED' } },
      ])
      const { entries } = await client().listToolCalls({ query: { taskId: task.id } })
      expect(entries).toMatchObject([{ tool: 'run_command', decision: 'allowed', failed: true }])
    },
  )
})

describe('a task that names no security mode', () => {
  const modeAndDecision = async (metadata: Record<string, unknown> = {}) => {
    script(calling(['write_file', { path: 'a.txt', content: 'x' }]), saying('Done'))
    const task = await connect(service.baseUrl).perform({ title: 'Write', metadata })
    const { entries } = await client().listToolCalls({ query: { taskId: task.id } })
    return entries.map(({ mode, decision }) => [mode, decision])
  }

  it('has that of the setting, from the next task on', async () => {
    expect(await modeAndDecision()).toEqual([['full', 'allowed']])
    await client().changeSettings({ body: { tasks: { securityMode: 'sandbox' } } })
    expect(await modeAndDecision()).toEqual([['sandbox', 'denied']])
    expect(await modeAndDecision({ securityMode: 'full' })).toEqual([['full', 'allowed']])
    await client().changeSettings({ body: { tasks: { securityMode: null } } })
    expect(await modeAndDecision()).toEqual([['full', 'allowed']])
  })
})
