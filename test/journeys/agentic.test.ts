import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { connect } from './client.ts'
import { isOffline, type Service, startService, temporaryFolder } from './service.ts'

if (isOffline)
  process.stderr.write('SKIPPED: a stack of functions is not killed in the middle of a turn here\n')
const oneProcess = isOffline ? it.skip : it

type Sent = { id: string; type: string; data: Record<string, unknown>; timestamp: number }

const folder = temporaryFolder()
const env = { DATA_DIR: folder.in('data') }
let service: Service
beforeAll(async () => {
  service = await startService({ env, mostMs: 600_000 })
})
afterAll(async () => {
  await service?.kill9()
  folder[Symbol.dispose]()
})

const client = () => connect(service.baseUrl).client

/** The events of a text of server-sent events, comments left out. */
const eventsIn = (text: string): Sent[] =>
  text.split('\n\n').flatMap((frame) => {
    const [, id, data] = /^id: (\S+)\ndata: (.*)$/.exec(frame) ?? []
    return id === undefined || data === undefined ? [] : [{ id, ...JSON.parse(data) }]
  })

const typesOf = (events: readonly Sent[]) => events.map(({ type }) => type)

const converse = async (): Promise<string> =>
  (await client().createConversation({ body: { title: 'A journey' } })).conversation.id

const agentic = (id: string, body: object) =>
  fetch(`${service.baseUrl}/api/chat/conversations/${id}/messages/agentic`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Reads a stream until it has an event of that type, and leaves it. */
const readUntil = async (response: Response, type: string): Promise<Sent[]> => {
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (eventsIn(text).some((event) => event.type === type)) break
  }
  return eventsIn(text)
}

/** Asks again and again until there is an answer that will do. */
const eventually = async <T>(ask: () => Promise<T>, isEnough: (answer: T) => boolean): Promise<T> => {
  for (;;) {
    const answer = await ask()
    if (isEnough(answer)) return answer
    await sleep(50)
  }
}

const decideAll = async (decision: 'allow-once' | 'deny') => {
  const { approvals } = await eventually(
    () => client().listApprovals(),
    (answer) => answer.approvals.length > 0,
  )
  for (const { id } of approvals) await client().decideApproval({ params: { id }, body: { decision } })
}

describe('an agentic turn', () => {
  it('streams what the model does, and is read again as a session', async () => {
    const id = await converse()
    const content = 'demo: tool write_file {"path":"a.txt","content":"one"}\ndemo: say All done'
    const response = await agentic(id, { content, effort: 'low' })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const events = eventsIn(await response.text())
    const order = ['user_message', 'session:start', 'step:start', 'tool:call', 'tool:result', 'step:complete']
    const steps = typesOf(events).filter((type) => type !== 'content')
    expect(steps.slice(0, order.length)).toEqual(order)
    expect(typesOf(events).slice(-3)).toEqual(['summary', 'complete', 'message_saved'])
    expect(events.find(({ type }) => type === 'tool:result')?.data).toMatchObject({
      result: { success: true },
    })
    expect(events.find(({ type }) => type === 'summary')?.data.summary).toContain('All done')

    const { sessions, total } = await client().listAgentSessions({ query: { conversationId: id } })
    expect([total, sessions]).toMatchObject([
      1,
      [{ status: 'completed', conversationId: id, provider: 'demo' }],
    ])
    const sessionId = sessions[0]?.id ?? ''
    const path = `${service.baseUrl}/api/chat/sessions/${sessionId}/events`
    const again = eventsIn(await (await fetch(path)).text())
    const withoutDeltas = (list: readonly Sent[]) => typesOf(list).filter((type) => type !== 'content')
    expect(withoutDeltas(again)).toEqual(withoutDeltas(events))
    const after = again[3]?.id ?? ''
    const rest = eventsIn(await (await fetch(path, { headers: { 'last-event-id': after } })).text())
    expect(rest).toEqual(again.slice(4))

    const { messages } = await client().getConversation({ params: { id } })
    expect(messages).toMatchObject([
      { role: 'user', content },
      { role: 'assistant', toolCalls: [{ name: 'write_file', status: 'success' }] },
    ])
  }, 120_000)

  it.each([
    ['an unknown conversation', 'conv_none', { content: 'Hi' }, 404],
    ['no content', undefined, { content: ' ' }, 400],
    ['too many steps', undefined, { content: 'Hi', maxSteps: 201 }, 400],
    ['too small a budget', undefined, { content: 'Hi', maxBudget: 999 }, 400],
    ['an unknown effort', undefined, { content: 'Hi', effort: 'huge' }, 400],
    ['an unknown provider', undefined, { content: 'Hi', provider: 'nobody' }, 400],
  ])('is refused for %s as JSON, before its first byte', async (_what, given, body, status) => {
    const response = await agentic(given ?? (await converse()), body)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) })
  })

  it('is stopped by a cancel', async () => {
    const id = await converse()
    const response = await agentic(id, { content: 'demo: slow 60000\ndemo: say Never' })
    const read = response.text()
    const { sessions } = await eventually(
      () => client().listAgentSessions({ query: { conversationId: id } }),
      (answer) => answer.sessions.length > 0,
    )
    const sessionId = sessions[0]?.id ?? ''
    await client().cancelAgentSession({ params: { id: sessionId } })
    expect(eventsIn(await read).at(-1)).toMatchObject({ type: 'error', data: { code: 'CANCELLED' } })
    const { session } = await client().getAgentSession({ params: { id: sessionId } })
    expect(session.status).toBe('cancelled')
  }, 120_000)

  oneProcess(
    'that dies with its process has failed after the restart, and says why',
    async () => {
      const id = await converse()
      const response = await agentic(id, { content: 'demo: slow 60000\ndemo: say Never' })
      const [, start] = await readUntil(response, 'session:start')
      await service.kill9()
      service = await startService({ env, mostMs: 600_000 })
      const sessionId = String(start?.data.sessionId)
      const { session } = await client().getAgentSession({ params: { id: sessionId } })
      expect(session).toMatchObject({ status: 'failed', error: { code: 'INTERRUPTED' } })
    },
    120_000,
  )
})

describe('an approval', () => {
  const ask = async () => {
    const id = await converse()
    const content = 'demo: tool write_file {"path":"b.txt","content":"two"}\ndemo: say Written'
    const sent = await client().sendMessageWithTools({
      params: { id },
      body: { content, securityMode: 'ask' },
    })
    expect(sent.pendingApprovals).toMatchObject([{ toolName: 'write_file', params: { path: 'b.txt' } }])
    return id
  }
  const answered = (id: string) =>
    eventually(
      () => client().getConversation({ params: { id } }),
      ({ messages }) => messages.at(-1)?.toolCalls?.every(({ status }) => status !== 'pending') === true,
    )

  it('lets a turn go on', async () => {
    const id = await ask()
    await decideAll('allow-once')
    expect((await answered(id)).messages.at(-1)).toMatchObject({
      ...{ role: 'assistant', content: expect.stringContaining('Written') },
      toolCalls: [{ name: 'write_file', status: 'success' }],
    })
  }, 120_000)

  oneProcess(
    'lets a turn go on also after a restart',
    async () => {
      const id = await ask()
      await service.kill9()
      service = await startService({ env, mostMs: 600_000 })
      await decideAll('deny')
      expect((await answered(id)).messages.at(-1)).toMatchObject({
        toolCalls: [{ name: 'write_file', status: 'error' }],
      })
    },
    120_000,
  )

  it('lets a task go on, in the same attempt and the same session', async () => {
    const body = {
      title: 'Write',
      prompt: 'demo: tool write_file {"path":"c.txt","content":"three"}\ndemo: say Done',
      metadata: { securityMode: 'ask' },
    }
    const { task } = await client().createTask({ body })
    const path = `${service.baseUrl}/api/chat/sessions?taskId=${task.id}`
    const waiting = await eventually(
      () => client().getTask({ params: { id: task.id } }),
      (answer) => answer.task.waitingFor === 'approval',
    )
    expect(waiting.task).toMatchObject({ status: 'in_progress', attempts: 1 })
    await decideAll('allow-once')
    const done = await eventually(
      () => client().getTask({ params: { id: task.id } }),
      (answer) => answer.task.status === 'completed',
    )
    expect(done.task).toMatchObject({ attempts: 1, result: { filesChanged: [{ path: 'c.txt' }] } })
    const { sessions } = (await (await fetch(path)).json()) as { sessions: { id: string }[] }
    expect(sessions).toMatchObject([{ taskId: task.id, status: 'completed' }])
    const text = await (await fetch(`${service.baseUrl}/api/chat/sessions/${sessions[0]?.id}/events`)).text()
    const types = typesOf(eventsIn(text))
    expect(types.filter((type) => type === 'session:start')).toHaveLength(2)
    expect(types).toContain('approval:pending')
    expect(types.slice(-2)).toEqual(['summary', 'complete'])
  }, 120_000)
})
