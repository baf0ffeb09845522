import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import { calling, saying, startWire, type Wire } from '../fakes/model-wire.ts'
import { startAgentic } from './agentic-events.ts'
import { connect } from './client.ts'
import { type OpenedService, openService } from './opened-service.ts'
import { isOffline, temporaryFolder } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: accounts of the stack of functions are not opened from here\n')
const suite = isOffline ? describe.skip : describe

/** What Ann says, writes and is answered, and nobody else may read. */
const SECRET = 'words-of-ann-4711'

const folder = temporaryFolder()
let wire: Wire
let service: OpenedService
const people: Record<'admin' | 'ann' | 'bob', string> = { admin: '', ann: '', bob: '' }
type Person = keyof typeof people
/** What is Ann's, by the part of a path that stands before its id. */
const owned = { conversations: '', sessions: '', approvals: '', audit: '' }

const as = (person: Person) => connect(service.baseUrl, { cookie: people[person] }).client
const script = (...replies: Wire['replies']) => {
  wire.heard.length = 0
  wire.replies = replies
}
const ask = (person: Person, method: string, path: string, body?: object) =>
  fetch(`${service.baseUrl}${path}`, {
    method,
    headers: {
      cookie: people[person],
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const signUp = async (name: Person) => {
  const account = { email: `${name}@example.com`, password: 'correct horse 1', name }
  const answer = await fetch(`${service.baseUrl}/api/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  })
  people[name] = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

beforeAll(async () => {
  if (isOffline) return
  wire = await startWire()
  service = await openService({
    WORKSPACES_DIR: folder.in('workspaces'),
    AUTH_MODE: 'cloud',
    REGISTRATION_MODE: 'open',
    OPENAI_BASE_URL: `${wire.origin}/v1`,
    OPENAI_MODEL: 'model-7',
    OPENAI_API_KEY: 'key-of-a-provider',
    DEFAULT_PROVIDER: 'openai',
  })
  for (const name of ['admin', 'ann', 'bob'] as const) await signUp(name)
  const { conversation } = await as('ann').createConversation({ body: { title: SECRET } })
  const { id } = conversation
  const file = ['write_file', { path: 'ann.txt', content: SECRET }] as const
  script(calling(file), saying(SECRET))
  const headers = { cookie: people.ann }
  await (await startAgentic(service.baseUrl, id, { content: SECRET }, { headers })).text()
  script(calling(['write_file', { path: 'later.txt', content: SECRET }]), saying('Done.'))
  const body = { content: SECRET, securityMode: 'ask' } as const
  await as('ann').sendMessageWithTools({ params: { id }, body })
  Object.assign(owned, {
    conversations: id,
    sessions: (await as('ann').listAgentSessions()).sessions[0]?.id,
    approvals: (await as('ann').listApprovals()).approvals[0]?.id,
    audit: (await as('ann').listToolCalls()).entries[0]?.id,
  })
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await wire?.close()
  folder[Symbol.dispose]()
})

const said = { content: 'Hello' }
const completion = { messages: [{ role: 'user', content: 'Hello' }] }
/** What is sent to a route of something that one person has, so that nothing but whose it is stands against it. */
const bodies: Readonly<Record<string, object>> = {
  renameConversation: { title: 'Mine' },
  sendMessage: said,
  sendMessageWithTools: said,
  sendAgentic: said,
  decideApproval: { decision: 'allow-once' },
}

type Attempt = [operation: string, method: string, path: () => string, body: object | undefined]
const OWNED = /^\/api\/(?:chat|security)\/(conversations|sessions|approvals|audit)\/\{id\}/
const attempts: Attempt[] = [
  ...Object.entries(routes).flatMap(([operation, { method, path }]): Attempt[] => {
    const of = OWNED.exec(path)?.[1] as keyof typeof owned | undefined
    return of === undefined
      ? []
      : [[operation, method, () => path.replace('{id}', owned[of]), bodies[operation]]]
  }),
  ...(['createCompletion', 'smartChat'] as const).map((operation): Attempt => {
    const { method, path } = routes[operation]
    const body = {
      ...completion,
      get conversationId() {
        return owned.conversations
      },
    }
    return [operation, method, () => path, body]
  }),
]

/** Lists, and what they are narrowed by to what is Ann's. */
const lists: [path: () => string, count: (body: Record<string, unknown[]>) => number][] = [
  [() => '/api/chat/conversations', ({ conversations = [] }) => conversations.length],
  [() => '/api/chat/sessions', ({ sessions = [] }) => sessions.length],
  [() => `/api/chat/sessions?conversationId=${owned.conversations}`, ({ sessions = [] }) => sessions.length],
  [() => '/api/security/approvals', ({ approvals = [] }) => approvals.length],
  [() => '/api/security/audit', ({ entries = [] }) => entries.length],
  [() => `/api/security/audit?conversationId=${owned.conversations}`, ({ entries = [] }) => entries.length],
  [() => '/api/notifications', ({ notifications = [] }) => notifications.length],
]

suite('what belongs to one person', () => {
  it.each(attempts)('is not there for another one: %s', async (operation, method, path, body) => {
    script(saying('Never'))
    // Admins see the record of all calls; what people say is theirs alone.
    const others: Person[] = operation === 'getToolCall' ? ['bob'] : ['bob', 'admin']
    for (const person of others) {
      const answer = await ask(person, method, path(), body)
      const text = await answer.text()
      expect([person, answer.status]).toEqual([person, 404])
      expect(text).not.toContain(SECRET)
    }
    expect(wire.heard).toEqual([])
  })

  it.each(lists)('is in no list of another one (%#)', async (path, count) => {
    const text = await (await ask('bob', 'GET', path())).text()
    expect(count(JSON.parse(text))).toBe(0)
    expect(text).not.toContain(SECRET)
  })

  it('is there for its owner after all that, unchanged', async () => {
    for (const [operation, method, path, body] of attempts.filter(([, verb]) => verb === 'GET'))
      expect([operation, (await ask('ann', method, path(), body)).status]).toEqual([operation, 200])
    const { approvals } = await as('ann').listApprovals()
    expect(approvals.map(({ id }) => id)).toEqual([owned.approvals])
    const { conversation } = await as('ann').getConversation({ params: { id: owned.conversations } })
    expect(conversation).toMatchObject({ title: SECRET, messageCount: 4 })
  })

  it('is a folder that the tools of another one do not reach', async () => {
    const place = join(folder.in('workspaces'), owned.conversations, 'work', 'ann.txt')
    const { conversation } = await as('bob').createConversation({ body: {} })
    const around = `../../${owned.conversations}/work/ann.txt`
    const program = `import { readFileSync } from 'node:fs'\nconsole.log(readFileSync(${JSON.stringify(place)}, 'utf8'))\n`
    script(
      calling(
        ...[place, around, 'ann.txt'].map((path) => ['read_file', { path }] as const),
        ['search_files', { query: SECRET.slice(0, 12) }],
        ['write_file', { path: 'p.mjs', content: program }],
        ['run_command', { command: 'node', args: ['p.mjs'] }],
        ['run_command', { command: 'cat', args: [around] }],
      ),
      saying('Done.'),
    )
    const headers = { cookie: people.bob }
    const text = await (
      await startAgentic(service.baseUrl, conversation.id, { content: 'Look' }, { headers })
    ).text()
    expect(text).toContain('"type":"message_saved"')
    expect(text).not.toContain(SECRET)
    const results = wire.heard.at(-1)?.body.messages.filter(({ role }: { role: string }) => role === 'tool')
    expect(results).toHaveLength(7)
    expect(JSON.stringify(results)).not.toContain(SECRET)
  })
})
