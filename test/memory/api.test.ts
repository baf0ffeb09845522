import { describe, expect, it } from '@jest/globals'
import { type Caller, startApi } from '../fakes/caller.ts'
import { ANN, BOB } from '../fakes/service.ts'
import { ADMIN } from './world.ts'

const converse = async (call: Caller, as = ANN): Promise<string> =>
  (await call('POST /api/chat/conversations', { body: {}, as })).body.conversation.id

const long = (length: number) => 'x'.repeat(length)

const BAD: readonly (readonly [request: string, body: unknown, path: string])[] = [
  ['POST /api/memory/search', {}, 'query'],
  ['POST /api/memory/search', { query: '  ' }, 'query'],
  ['POST /api/memory/search', { query: 5 }, 'query'],
  ['POST /api/memory/search', { query: long(2_001) }, 'query'],
  ['POST /api/memory/search', { query: 'a', maxResults: 0 }, 'maxResults'],
  ['POST /api/memory/search', { query: 'a', maxResults: 1.5 }, 'maxResults'],
  ['POST /api/memory/search', { query: 'a', maxResults: 101 }, 'maxResults'],
  ['POST /api/memory/search', { query: 'a', maxResults: '6' }, 'maxResults'],
  ['POST /api/memory/search', { query: 'a', minScore: 1.1 }, 'minScore'],
  ['POST /api/memory/search', { query: 'a', minScore: -0.1 }, 'minScore'],
  ['GET /api/memory/files?limit=0', undefined, 'limit'],
  ['GET /api/memory/files?limit=201', undefined, 'limit'],
  ['GET /api/memory/files?offset=-1', undefined, 'offset'],
  ['GET /api/memory/files?cursor=nonsense', undefined, 'cursor'],
  ['POST /api/memory/sessions', {}, 'name'],
  ['POST /api/memory/sessions', { name: '' }, 'name'],
  ['POST /api/memory/sessions', { name: 5 }, 'name'],
  ['POST /api/memory/sessions', { name: 'a\u0007' }, 'name'],
  ['POST /api/memory/sessions', { name: long(201) }, 'name'],
  ['POST /api/memory/sessions', { name: 'a', conversationId: {} }, 'conversationId'],
  ['GET /api/memory/sessions?status=gone', undefined, 'status'],
  ['POST /api/memory/warm', { query: [] }, 'query'],
  ['POST /api/memory/experiences', { type: 'x', intent: 'a', solution: 'b' }, 'type'],
  ['POST /api/memory/experiences', { type: 'tool_chain', solution: 'b' }, 'intent'],
  ['POST /api/memory/experiences', { type: 'tool_chain', intent: 'a' }, 'solution'],
  ['POST /api/memory/experiences', { type: 'tool_chain', intent: 'a', solution: [] }, 'solution'],
  [
    'POST /api/memory/experiences',
    { type: 'tool_chain', intent: 'a', solution: { a: long(50_000) } },
    'solution',
  ],
  [
    'POST /api/memory/experiences',
    { type: 'tool_chain', intent: 'a', solution: 'b', successScore: 2 },
    'successScore',
  ],
  ['POST /api/memory/experiences', { type: 'tool_chain', intent: 'a', solution: 'b', tags: [''] }, 'tags.0'],
  ['GET /api/memory/verdicts', undefined, 'taskId'],
  ['POST /api/memory/chunks/chk_1/rate', { useful: true, taskId: '' }, 'taskId'],
  ['GET /api/memory/experiences/search', undefined, 'q'],
  ['GET /api/memory/experiences/search?q=a&type=x', undefined, 'type'],
  ['GET /api/memory/experiences?type=x', undefined, 'type'],
]

const MISSING = [
  'GET /api/memory/files/a.md/chunks',
  'GET /api/memory/files/a%2Fb.md/chunks',
  'GET /api/memory/files/%2e%2e%2fetc%2fpasswd/chunks',
  'GET /api/memory/files/%zz/chunks',
  'DELETE /api/memory/files/a%2Fb.md',
  'DELETE /api/memory/files/__proto__',
  'DELETE /api/memory/chunks/chk_1',
  'GET /api/memory/sessions/mem_1',
  'POST /api/memory/sessions/mem_1/archive',
  'GET /api/memory/experiences/exp_1',
  'DELETE /api/memory/experiences/exp_1',
  'POST /api/memory/experiences/exp_1/use',
  'POST /api/memory/chunks/chk_1/rate',
]

describe('the API of memory', () => {
  it('says what is wrong with a request, and where', async () => {
    await using api = await startApi()
    for (const [request, body, path] of BAD) {
      const { status, body: answer } = await api.call(request, { body })
      expect([request, body, status, answer.details?.[0]?.path]).toEqual([request, body, 400, path])
    }
  })

  it('answers 404 for what is not there', async () => {
    await using api = await startApi()
    for (const request of MISSING) {
      const { status, body } = await api.call(
        request,
        request.startsWith('POST') ? { body: { useful: true } } : {},
      )
      expect([request, status, typeof body.code]).toEqual([request, 404, 'string'])
    }
  })

  it('answers of nothing that there is nothing', async () => {
    await using api = await startApi()
    const { call } = api
    expect((await call('GET /api/memory/stats')).body).toEqual({
      files: 0,
      chunks: 0,
      lastSync: null,
      method: 'lexical',
    })
    expect((await call('POST /api/memory/search', { body: { query: 'a' } })).body).toEqual({
      query: 'a',
      method: 'lexical',
      chunks: [],
      count: 0,
    })
    expect((await call('POST /api/memory/sync')).body).toEqual({
      synced: 0,
      added: 0,
      updated: 0,
      removed: 0,
    })
    expect((await call('POST /api/memory/warm')).body).toMatchObject({ chunks: [] })
    expect((await call('DELETE /api/memory/all', { as: ADMIN })).status).toBe(200)
    expect((await call('GET /api/memory/files')).body).toMatchObject({ files: [], total: 0, count: 0 })
  })

  it('takes the path of a file with its slashes as they are, as a gateway may hand it over', async () => {
    const list = async () => [{ path: 'a/b.md', tag: 't', size: 1 }]
    await using api = await startApi({ memoryFiles: { list, read: async () => Buffer.from('# B') } })
    await api.call('POST /api/memory/sync')
    for (const path of ['a/b.md', 'a%2Fb.md'])
      expect((await api.call(`GET /api/memory/files/${path}/chunks`)).body).toMatchObject({ path: 'a/b.md' })
    expect((await api.call('DELETE /api/memory/files/a/b.md')).status).toBe(200)
  })

  it('pages through files by cursor', async () => {
    const names = Array.from({ length: 7 }, (_, n) => `n${n}.md`)
    const list = async () => names.map((path) => ({ path, tag: 't', size: 1 }))
    await using api = await startApi({ memoryFiles: { list, read: async (path) => Buffer.from(path) } })
    await api.call('POST /api/memory/sync')
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await api.call(`GET /api/memory/files?limit=3${cursor}`)
      expect(body.total).toBe(7)
      seen.push(...body.files.map(({ path }: { path: string }) => path))
      cursor = body.nextCursor ? `&cursor=${body.nextCursor}` : ''
    } while (cursor !== '')
    expect(seen).toEqual(names)
    const { body } = await api.call('GET /api/memory/files?limit=2&offset=5')
    expect(body).toMatchObject({ files: [{ path: 'n5.md' }, { path: 'n6.md' }], offset: 5 })
    expect(body.nextCursor).toBeUndefined()
  })

  it('keeps sessions until they are archived, once', async () => {
    await using api = await startApi()
    const { call } = api
    const [tied, other] = [await converse(call), await converse(call)]
    const { status, body } = await call('POST /api/memory/sessions', {
      body: { conversationId: tied, id: 'mine' },
    })
    expect([status, body.session.name, body.session.status]).toEqual([201, `Conversation ${tied}`, 'active'])
    const { id } = body.session
    expect((await call(`GET /api/memory/sessions/${id}`)).body).toEqual({ session: body.session })
    expect((await call(`GET /api/memory/sessions?conversationId=${other}`)).body.total).toBe(0)
    const archived = await call(`POST /api/memory/sessions/${id}/archive`)
    expect(archived.body).toMatchObject({
      session: { id, status: 'archived', archivedAt: expect.any(String) },
    })
    expect(await call(`POST /api/memory/sessions/${id}/archive`)).toMatchObject({
      status: 400,
      body: { code: 'memory_session_state_conflict' },
    })
    expect((await call('GET /api/memory/sessions')).body.total).toBe(0)
    expect((await call('GET /api/memory/sessions?status=archived')).body.total).toBe(1)
  })

  it('lists the sessions of all, and of those that are tied to conversations the caller’s', async () => {
    await using api = await startApi()
    const { call, service } = api
    const create = async (body: object, as = ANN) => {
      service.clock.advance(1)
      return (await call('POST /api/memory/sessions', { body, as })).body.session.id as string
    }
    const conversationId = await converse(call)
    const general = await create({ name: 'General' })
    const anns = await create({ name: 'Of Ann', conversationId })
    const bobs = await create({ name: 'Of Bob', conversationId: await converse(call, BOB) }, BOB)
    const last = await create({ name: 'Last' }, BOB)
    const read = async (query: string, as = ANN) => {
      const { body } = await call(`GET /api/memory/sessions${query}`, { as })
      return { ...body, sessions: body.sessions.map(({ id }: { id: string }) => id) }
    }
    expect(await read('')).toMatchObject({ sessions: [last, anns, general], total: 3 })
    expect(await read('', BOB)).toMatchObject({ sessions: [last, bobs, general], total: 3 })
    const first = await read('?limit=2')
    expect(first).toMatchObject({ sessions: [last, anns], total: 3 })
    const second = await read(`?limit=2&cursor=${first.nextCursor}`)
    expect(second).toMatchObject({ sessions: [general] })
    expect(second.nextCursor).toBeUndefined()
    expect(await read('?limit=1&offset=1')).toMatchObject({ sessions: [anns], total: 3 })
    expect(await read(`?conversationId=${conversationId}`)).toMatchObject({ sessions: [anns], total: 1 })
  })

  it('shows of an experience the conversation that it comes from to its maker only', async () => {
    await using api = await startApi()
    const { call } = api
    const sourceConversationId = await converse(call)
    const body = { type: 'tool_chain', intent: 'Mend the roof', solution: 'Nails', sourceConversationId }
    const { id } = (await call('POST /api/memory/experiences', { body })).body.experience
    const everywhere = async (as: typeof ANN) => {
      const bodies = [
        await call(`GET /api/memory/experiences/${id}`, { as }),
        await call('GET /api/memory/experiences', { as }),
        await call('GET /api/memory/experiences/search?q=roof', { as }),
        await call(`POST /api/memory/experiences/${id}/use`, { as, body: {} }),
      ].map((answer) => answer.body.experience ?? answer.body.experiences[0])
      return bodies.map((experience) => [experience.id, experience.sourceConversationId])
    }
    expect(await everywhere(ANN)).toEqual(Array(4).fill([id, sourceConversationId]))
    expect(await everywhere(BOB)).toEqual(Array(4).fill([id, undefined]))
  })

  it('finds experiences by what they say, and forgets them', async () => {
    await using api = await startApi()
    const { call } = api
    const learn = async (more: object) =>
      (await call('POST /api/memory/experiences', { body: { type: 'tool_chain', solution: 's', ...more } }))
        .body.experience
    const red = await learn({ intent: 'Repair a red build', tags: ['ci'] })
    const green = await learn({
      intent: 'Keep a build green',
      type: 'user_preference',
      solution: { run: 'ci' },
    })
    expect(red).toMatchObject({ successScore: 0.5, useCount: 0, createdBy: 'user_ann' })
    expect(red.space).toBeUndefined()
    const idsFor = async (query: string) =>
      (await call(`GET /api/memory/experiences/search?${query}`)).body.experiences.map(
        ({ id }: { id: string }) => id,
      )
    expect(await idsFor('q=red+builds')).toEqual([red.id, green.id])
    expect(await idsFor('q=build&type=user_preference')).toEqual([green.id])
    const late = await learn({ intent: 'Write a changelog', type: 'task_solution' })
    expect(await idsFor('q=changelog')).toEqual([late.id])
    expect((await call('GET /api/memory/experiences?type=tool_chain')).body).toMatchObject({
      total: 1,
      count: 1,
    })
    await call(`DELETE /api/memory/experiences/${red.id}`)
    expect(await idsFor('q=red+builds')).toEqual([green.id])
    expect((await call(`GET /api/memory/experiences/${red.id}`)).status).toBe(404)
  })
})
