import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { dataFileIn } from '../../lib/app/data.ts'
import { collections } from '../../lib/collections.ts'
import { createRecordedApprovals } from '../../lib/composition/security.ts'
import { createMasker } from '../../lib/core/masker.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { createFakeLog } from '../fakes/log.ts'
import { readUntil, startAgentic } from './agentic-events.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { isOffline, type Service, startService, temporaryFolder } from './service.ts'

if (isOffline)
  process.stderr.write('SKIPPED: a stack of functions is not killed in the middle of a turn here\n')
const describeOneProcess = isOffline ? describe.skip : describe

const folder = temporaryFolder()
const env = { DATA_DIR: folder.in('data') }
let service: Service
const startHere = async () => {
  service = await startService({ env })
}
beforeAll(() => (isOffline ? undefined : startHere()))
afterAll(async () => {
  await service?.kill9()
  folder[Symbol.dispose]()
})

const client = () => connect(service.baseUrl).client
const converse = async (): Promise<string> =>
  (await client().createConversation({ body: { title: 'A journey' } })).conversation.id
type Message = Awaited<ReturnType<ReturnType<typeof client>['getConversation']>>['messages'][number]
const untilMessages = (id: string, isEnough: (messages: readonly Message[]) => boolean) =>
  until(async () => {
    const { messages } = await client().getConversation({ params: { id } })
    return isEnough(messages) ? messages : undefined
  })

describeOneProcess('a service that is told to end', () => {
  it('answers the turns that are answered as a whole, and ends them', async () => {
    const turns = ['messages', 'messages/with-tools'].map(async (path) => {
      const id = await converse()
      const asked = fetch(`${service.baseUrl}/api/chat/conversations/${id}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'demo: slow 60000\ndemo: say Never' }),
      })
      await untilMessages(id, (messages) => messages.length === 1)
      return { id, path, asked }
    })
    const begun = await Promise.all(turns)
    const stopped = service.stop()
    for (const { path, asked } of begun) {
      const answer = await asked
      expect([path, answer.status, await answer.json()]).toMatchObject([path, 503, { code: 'shutting_down' }])
    }
    await stopped
    await startHere()
    for (const { id, path } of begun) {
      const cancelled = client()
        .cancelTurn({ params: { id } })
        .catch(({ code }) => code)
      expect([path, await cancelled]).toEqual([path, 'turn_state_conflict'])
    }
  })
})

/** Decides in the data folder of a process that died, as if it had died before anything else. */
const decideInFolder = async (conversationId: string, decision: 'allow-once' | 'deny') => {
  const clock = createClock()
  const store = openSqliteStore({ file: dataFileIn(env.DATA_DIR), collections, clock })
  const approvals = createRecordedApprovals({
    store,
    clock,
    log: createFakeLog(),
    ids: createIds({ clock }),
    masker: createMasker([]),
  })
  const user: Principal = { userId: 'local', role: 'user' }
  const waiting = (await approvals.list(user)).filter((one) => one.conversationId === conversationId)
  for (const { id } of waiting) await approvals.decide(user, id, decision)
  await store.close()
  expect(waiting).toHaveLength(1)
}

/** A conversation whose turn waits for a person to approve its call of a tool. */
const converseToApproval = async () => {
  const id = await converse()
  const content = 'demo: tool write_file {"path":"b.txt","content":"two"}\ndemo: say Written'
  await client().sendMessageWithTools({ params: { id }, body: { content, securityMode: 'ask' } })
  return id
}
/** The messages once the call has been decided, and the turn has gone on. */
const messagesOnceDecided = (id: string) =>
  untilMessages(id, (all) => all.at(-1)?.toolCalls?.every((call) => call.status !== 'pending') === true)

// What a service that is killed leaves behind, so that one start serves them all.
describeOneProcess('after the restart of a service that was killed', () => {
  const ids = { agentic: '', before: '', after: '' }
  let sessionId = ''
  beforeAll(async () => {
    for (const name of ['agentic', 'before', 'after'] as const)
      ids[name] = await (name === 'agentic' ? converse() : converseToApproval())
    const content = 'demo: slow 60000\ndemo: say Never'
    const response = await startAgentic(service.baseUrl, ids.agentic, { content })
    const [, start] = await readUntil(response, 'session:start')
    sessionId = String(start?.data.sessionId)
    await service.kill9()
    await decideInFolder(ids.before, 'allow-once')
    await startHere()
  })

  it('an agentic turn has failed, and says why', async () => {
    const { session } = await client().getAgentSession({ params: { id: sessionId } })
    expect(session).toMatchObject({ status: 'failed', error: { code: 'INTERRUPTED' } })
  })

  it('an approval that was given before lets its turn go on', async () => {
    const messages = await messagesOnceDecided(ids.before)
    expect(messages.at(-1)).toMatchObject({ toolCalls: [{ name: 'write_file', status: 'success' }] })
  })

  it('a refusal that is given now lets its turn go on', async () => {
    const { approvals } = await client().listApprovals()
    expect(approvals).toHaveLength(1)
    for (const { id } of approvals)
      await client().decideApproval({ params: { id }, body: { decision: 'deny' } })
    const messages = await messagesOnceDecided(ids.after)
    expect(messages.at(-1)).toMatchObject({ toolCalls: [{ name: 'write_file', status: 'error' }] })
  })
})
