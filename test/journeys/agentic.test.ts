import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from '@jest/globals'
import { eventsIn, type Sent, startAgentic } from './agentic-events.ts'
import { connect } from './client.ts'
import { openedService } from './opened-service.ts'
import { isOffline, temporaryFolder } from './service.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
// Offline, workspaces are not read, and the stack is shared.
const service = openedService(isOffline ? {} : { WORKSPACES_DIR: folder.path })

const client = () => connect(service().baseUrl).client

const eventTypes = (events: readonly Sent[]) => events.map(({ type }) => type)

const converse = async (): Promise<string> =>
  (await client().createConversation({ body: { title: 'A journey' } })).conversation.id

const agentic = (id: string, body: object) => startAgentic(service().baseUrl, id, body)

/** Asks again and again until there is an answer that will do. */
const eventually = async <T>(ask: () => Promise<T>, isEnough: (answer: T) => boolean): Promise<T> => {
  for (;;) {
    const answer = await ask()
    if (isEnough(answer)) return answer
    await sleep(50)
  }
}

type Approval = Awaited<ReturnType<ReturnType<typeof client>['listApprovals']>>['approvals'][number]

const allow = async (isAsked: (approval: Approval) => boolean) => {
  const { approvals } = await eventually(
    () => client().listApprovals(),
    (answer) => answer.approvals.some(isAsked),
  )
  for (const { id } of approvals.filter(isAsked))
    await client().decideApproval({ params: { id }, body: { decision: 'allow-once' } })
}

describe('an agentic turn', () => {
  it('streams what the model does, and is read again as a session', async () => {
    const id = await converse()
    const content = 'demo: tool write_file {"path":"a.txt","content":"one"}\ndemo: say All done'
    const response = await agentic(id, { content, effort: 'low' })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const events = eventsIn(await response.text())
    const order = ['user_message', 'session:start', 'step:start', 'tool:call', 'tool:result', 'step:complete']
    const steps = eventTypes(events).filter((type) => type !== 'content')
    expect(steps.slice(0, order.length)).toEqual(order)
    expect(eventTypes(events).slice(-3)).toEqual(['summary', 'complete', 'message_saved'])
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
    const path = `${service().baseUrl}/api/chat/sessions/${sessionId}/events`
    const again = eventsIn(await (await fetch(path)).text())
    const withoutDeltas = (list: readonly Sent[]) => eventTypes(list).filter((type) => type !== 'content')
    expect(withoutDeltas(again)).toEqual(withoutDeltas(events))
    const after = again[3]?.id ?? ''
    const rest = eventsIn(await (await fetch(path, { headers: { 'last-event-id': after } })).text())
    expect(rest).toEqual(again.slice(4))

    const { messages } = await client().getConversation({ params: { id } })
    expect(messages).toMatchObject([
      { role: 'user', content },
      { role: 'assistant', sessionId, toolCalls: [{ name: 'write_file', status: 'success' }] },
    ])
  })

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

  it('is not followed from what is no event of it', async () => {
    const id = await converse()
    await (await agentic(id, { content: 'demo: say Done' })).text()
    const { sessions } = await client().listAgentSessions({ query: { conversationId: id } })
    const path = `${service().baseUrl}/api/chat/sessions/${sessions[0]?.id}/events`
    const refused = await fetch(path, { headers: { 'last-event-id': 'zzz' } })
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'validation_failed' }])
    expect((await fetch(`${path}?after=zzz`)).status).toBe(400)
  })

  it('goes with its conversation: it ends, and then nothing of it is left but the audit', async () => {
    const id = await converse()
    const wrote = await agentic(id, {
      content: 'demo: tool write_file {"path":"d.txt","content":"one"}\ndemo: say Done',
      effort: 'low',
    })
    await wrote.text()
    await client().sendMessageWithTools({
      params: { id },
      body: { content: 'demo: tool write_file {"path":"e.txt","content":"two"}', securityMode: 'ask' },
    })
    const workspace = folder.in(id)
    if (!isOffline) expect(existsSync(workspace)).toBe(true)
    await client().cancelTurn({ params: { id } })
    const { approvals } = await client().listApprovals()
    expect(approvals.filter(({ conversationId }) => conversationId === id)).toEqual([])
    const read = (await agentic(id, { content: 'demo: slow 60000\ndemo: say Never' })).text()
    const { sessions } = await eventually(
      () => client().listAgentSessions({ query: { conversationId: id } }),
      (answer) => answer.sessions.length === 2,
    )
    await client().removeConversation({ params: { id } })
    expect(eventsIn(await read).at(-1)).toMatchObject({ type: 'error', data: { code: 'CANCELLED' } })
    await eventually(
      () => client().listAgentSessions(),
      (answer) => answer.sessions.every(({ conversationId }) => conversationId !== id),
    )
    for (const session of sessions) {
      const { status } = await fetch(`${service().baseUrl}/api/chat/sessions/${session.id}`)
      expect(status).toBe(404)
    }
    if (!isOffline)
      await eventually(
        async () => existsSync(workspace),
        (isThere) => !isThere,
      )
    const { entries } = await client().listToolCalls({ query: { conversationId: id } })
    expect(entries).not.toEqual([])
  })
})

describe('the session of a task', () => {
  it('is cancelled with its task', async () => {
    const body = { title: 'Slow', prompt: 'demo: slow 60000\ndemo: say Never' }
    const { task } = await client().createTask({ body })
    const { sessions } = await eventually(
      () => client().listAgentSessions({ query: { taskId: task.id } }),
      (answer) => answer.sessions.length > 0,
    )
    const params = { id: sessions[0]?.id ?? '' }
    expect((await client().cancelAgentSession({ params })).session.status).toBe('cancelled')
    expect((await client().getTask({ params: { id: task.id } })).task.status).toBe('cancelled')
  })
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
    await allow(({ conversationId }) => conversationId === id)
    expect((await answered(id)).messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: expect.stringContaining('Written'),
      toolCalls: [{ name: 'write_file', status: 'success' }],
    })
  })

  it('lets a task go on, in the same attempt and the same session', async () => {
    const body = {
      title: 'Write',
      prompt: 'demo: tool write_file {"path":"c.txt","content":"three"}\ndemo: say Done',
      metadata: { securityMode: 'ask' },
    }
    const { task } = await client().createTask({ body })
    const path = `${service().baseUrl}/api/chat/sessions?taskId=${task.id}`
    const waiting = await eventually(
      () => client().getTask({ params: { id: task.id } }),
      (answer) => answer.task.waitingFor === 'approval',
    )
    expect(waiting.task).toMatchObject({ status: 'in_progress', attempts: 1 })
    await allow(({ taskId }) => taskId === task.id)
    const done = await eventually(
      () => client().getTask({ params: { id: task.id } }),
      (answer) => answer.task.status === 'completed',
    )
    expect(done.task).toMatchObject({ attempts: 1, result: { filesChanged: [{ path: 'c.txt' }] } })
    const { sessions } = (await (await fetch(path)).json()) as { sessions: { id: string }[] }
    expect(sessions).toMatchObject([{ taskId: task.id, status: 'completed' }])
    const text = await (
      await fetch(`${service().baseUrl}/api/chat/sessions/${sessions[0]?.id}/events`)
    ).text()
    const types = eventTypes(eventsIn(text))
    const eventData = (type: string) =>
      eventsIn(text).flatMap((event) => (event.type === type ? [event.data] : []))
    const begun = { sessionId: sessions[0]?.id, taskId: task.id }
    expect(eventData('session:start')).toMatchObject([begun, begun])
    expect(eventData('approval:pending')).toEqual([
      {
        approvalId: expect.stringMatching(/^apv_/),
        name: 'write_file',
        toolCallId: eventData('tool:result')[0]?.toolCallId,
        message: 'Waiting for approval of write_file',
      },
    ])
    expect(types.slice(-2)).toEqual(['summary', 'complete'])
  })
})
