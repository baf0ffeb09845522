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

describeOneProcess('an agentic turn', () => {
  it('that dies with its process has failed after the restart, and says why', async () => {
    const id = await converse()
    const response = await startAgentic(service.baseUrl, id, { content: 'demo: slow 60000\ndemo: say Never' })
    const [, start] = await readUntil(response, 'session:start')
    await service.kill9()
    await startHere()
    const sessionId = String(start?.data.sessionId)
    const { session } = await client().getAgentSession({ params: { id: sessionId } })
    expect(session).toMatchObject({ status: 'failed', error: { code: 'INTERRUPTED' } })
  })
})

describeOneProcess('a turn that is answered as a whole', () => {
  it.each(['messages', 'messages/with-tools'])(
    'is answered, and over, when the service is told to end: %s',
    async (path) => {
      const id = await converse()
      const asked = fetch(`${service.baseUrl}/api/chat/conversations/${id}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'demo: slow 60000\ndemo: say Never' }),
      })
      await untilMessages(id, (messages) => messages.length === 1)
      const stopped = service.stop()
      const answer = await asked
      expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'shutting_down' }])
      await stopped
      await startHere()
      expect(
        await client()
          .cancelTurn({ params: { id } })
          .catch(({ code }) => code),
      ).toBe('turn_state_conflict')
    },
  )
})

/** Decides in the data folder of a process that died, as if it had died before anything else. */
const decideInFolder = async (decision: 'allow-once' | 'deny') => {
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
  const waiting = await approvals.list(user)
  for (const { id } of waiting) await approvals.decide(user, id, decision)
  await store.close()
  expect(waiting).toHaveLength(1)
}

describeOneProcess('an approval', () => {
  it.each([
    ['after', 'deny', 'error'],
    ['before', 'allow-once', 'success'],
  ] as const)('that is given %s a restart lets a turn go on: %s', async (when, decision, status) => {
    const id = await converse()
    const content = 'demo: tool write_file {"path":"b.txt","content":"two"}\ndemo: say Written'
    await client().sendMessageWithTools({ params: { id }, body: { content, securityMode: 'ask' } })
    await service.kill9()
    if (when === 'before') await decideInFolder(decision)
    await startHere()
    if (when === 'after') {
      const { approvals } = await client().listApprovals()
      for (const approval of approvals)
        await client().decideApproval({ params: { id: approval.id }, body: { decision } })
    }
    const isDecided = (message?: Message) =>
      message?.toolCalls?.every((call) => call.status !== 'pending') === true
    const messages = await untilMessages(id, (all) => isDecided(all.at(-1)))
    expect(messages.at(-1)).toMatchObject({ toolCalls: [{ name: 'write_file', status }] })
  })
})
