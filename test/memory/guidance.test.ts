import { describe, expect, it } from '@jest/globals'
import { createFakeAgent } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { createAgentOn } from '../fakes/coding-agent.ts'
import { createScriptedModels } from '../fakes/scripted-models.ts'
import { startDomains } from '../fakes/service.ts'
import { createWorkbench } from '../fakes/workbench.ts'
import { ADMIN, createWorld } from './world.ts'

const DAY_MS = 86_400_000
const done = async () => ({
  success: true,
  output: 'Ran make rollback',
  filesChanged: [{ path: 'Makefile' }],
})

describe('experiences that are found', () => {
  type Case = {
    scores?: [one: number, two: number]
    used?: 'one' | 'two'
    useful?: boolean
    laterMs?: number
  }
  // Where all else is the same, the one that was recorded later comes first.
  it.each<[what: string, Case, first: string]>([
    ['worked more often', { scores: [0.9, 0.5] }, 'one'],
    ['was useful', { used: 'one', useful: true }, 'one'],
    ['is not of no use', { used: 'two', useful: false }, 'one'],
    ['was used', { used: 'one' }, 'one'],
    [
      'is newer by a year, though it worked a little less often',
      { scores: [0.55, 0.5], laterMs: 365 * DAY_MS },
      'two',
    ],
    ['worked a little more often, of the same day', { scores: [0.55, 0.5], laterMs: DAY_MS / 2 }, 'one'],
  ])('have first which %s', async (_what, { scores = [0.5, 0.5], used, useful, laterMs = 0 }, first) => {
    await using api = await startApi()
    const { call } = api
    const create = async (solution: string, successScore: number): Promise<string> => {
      const body = { type: 'tool_chain', intent: 'Roll back', solution, successScore }
      return (await call('POST /api/memory/experiences', { body })).body.experience.id
    }
    const one = await create('one', scores[0])
    api.service.clock.advance(laterMs)
    const two = await create('two', scores[1])
    if (used)
      await call(`POST /api/memory/experiences/${used === 'one' ? one : two}/use`, {
        body: useful === undefined ? {} : { useful },
      })
    const { experiences } = (await call('GET /api/memory/experiences/search?q=roll+back')).body
    expect(experiences[0].solution).toBe(first)
  })
})

describe('a task that is done', () => {
  it.each([
    ['true', 1],
    ['false', 0],
  ])('is recorded as an experience where MEMORY_RECORD_EXPERIENCES=%s', async (value, total) => {
    await using service = await startDomains({
      adapters: [createFakeAgent(done)],
      env: { MEMORY_RECORD_EXPERIENCES: value },
    })
    const { id } = await service.create({ title: 'Roll back the release' })
    await service.reaches(id, 'completed')
    await service.worker.settled()
    const { experiences } = await service.memory.experiences.list({ limit: 9 })
    expect(experiences).toHaveLength(total)
    if (total > 0)
      expect(experiences[0]).toMatchObject({
        type: 'task_solution',
        intent: 'Roll back the release',
        sourceTaskId: id,
        solution: 'Ran make rollback\n\nFiles: Makefile',
      })
  })

  it('that fails, or said nothing, is not', async () => {
    await using service = await startDomains({
      adapters: [createFakeAgent(async () => ({ success: true, output: ' ' }))],
      env: { MEMORY_RECORD_EXPERIENCES: 'true' },
    })
    const { id } = await service.create()
    await service.reaches(id, 'completed')
    await service.worker.settled()
    expect((await service.memory.experiences.list({ limit: 9 })).experiences).toEqual([])
  })
})

describe('the coding agent', () => {
  it('begins with what memory has on its task, by file and lines, and its result names it', async () => {
    await using bench = await createWorkbench()
    await using world = createWorld()
    world.place.write(
      'ops/deploy.md',
      '# Deploying\n\nText.\n\n# Rollback of a release\n\nRun make rollback.',
    )
    const memory = world.process()
    await memory.sync()
    await memory.experiences.create(ADMIN, {
      type: 'error_recovery',
      intent: 'Rollback a release that hangs',
      solution: 'Stop the queue first',
      successScore: 0.9,
      tags: [],
    })
    const models = createScriptedModels([{ text: 'As ops/deploy.md:5-7 says' }])
    const result = await createAgentOn(bench, models, { guide: memory.guide }).run({
      title: 'Rollback of the release',
      prompt: '',
    })
    const [, user] = models.requests[0]?.messages ?? []
    expect(user?.content).toContain('[ops/deploy.md:5-7]\n# Rollback of a release\n\nRun make rollback.')
    expect(user?.content).toContain('[earlier work: Rollback a release that hangs]\nStop the queue first')
    expect(result.memory).toMatchObject({
      chunks: [{ path: 'ops/deploy.md', startLine: 5, endLine: 7, heading: 'Rollback of a release' }],
      experiences: [{ intent: 'Rollback a release that hangs' }],
    })
    expect(JSON.stringify(result.memory)).not.toContain('make rollback')
  })

  it('begins without memory where that has nothing, or cannot be read', async () => {
    await using bench = await createWorkbench()
    await using world = createWorld()
    const store = { ...world.store, get: () => Promise.reject(new Error('the power is gone')) }
    for (const [n, memory] of [world.process(), world.process({ store })].entries()) {
      const models = createScriptedModels([{ text: 'Ok' }])
      const result = await createAgentOn(bench, models, { guide: memory.guide }).run({
        id: `task_${n}`,
        prompt: 'Do',
      })
      expect(models.requests[0]?.messages[1]?.content).not.toContain('memory')
      expect(result).not.toHaveProperty('memory')
    }
  })
})

describe('what a task with a long prompt begins with', () => {
  const NOTES = {
    'oncall.md':
      '# On call\n\nHandover is on Monday.\n\n# Known alerts\n\n`QueueLag`: the consumer died, restart `order-consumer`.',
    'deploy.md':
      '# Deploying the shop\n\nOn Tuesdays.\n\n# Rollback\n\nIf the error rate goes over 2 %, run make rollback.',
    'decisions.md': '# No Kubernetes\n\nWe look again at 2,000 requests per second.',
    'holidays.md': '# Time off\n\nTwo weeks ahead. Unused days change to the next year.',
  }
  const MORE =
    ' Look at it, find out why, and make sure that it does not happen again. Add a test where that is possible, measure the time before and after, and open a pull request with the change. Write down what you did.'

  it.each<[title: string, sentence: string, chunk: string | undefined, experience: string | undefined]>([
    ['QueueLag alert', 'Orders are not shipped.', 'Known alerts', 'QueueLag fires again and again'],
    ['Bug', 'The error rate went up after the deploy of this morning.', 'Rollback', undefined],
    ['Speed up checkout', 'Customers complain.', undefined, 'Make the checkout page faster'],
    ['Rename the settings', 'Their title shall be Preferences.', undefined, undefined],
  ])('is what its title or the first sentence is about: %s', async (title, sentence, chunk, experience) => {
    await using world = createWorld()
    for (const [path, text] of Object.entries(NOTES)) world.place.write(path, text)
    const memory = world.process()
    await memory.sync()
    for (const intent of ['QueueLag fires again and again', 'Make the checkout page faster'])
      await memory.experiences.create(ADMIN, {
        type: 'task_solution',
        intent,
        solution: 'Raise the prefetch',
        successScore: 0.5,
        tags: [],
      })
    const { chunks, experiences } = await memory.guide({ title, prompt: sentence + MORE })
    expect([chunks[0]?.heading, experiences.map(({ intent }) => intent)]).toEqual([
      chunk,
      experience === undefined ? [] : [experience],
    ])
  })
})

describe('what a task begins with where memory is searched by meaning as well', () => {
  /** A model to which what is red means the same, and all else the same. */
  const embedding = {
    model: 'openai/m',
    embed: async (texts: readonly string[]) =>
      texts.map((text) => Float32Array.from(/red|crimson|vehicle/i.test(text) ? [1, 0.1] : [0.1, 1])),
  }

  it.each([
    ['Paint the crimson vehicle', ['a.md']],
    ['Paint the fence red, and the gate', ['c.md', 'a.md']],
  ])('is what both ways find, and what is nearest by one of them: %s', async (title, paths) => {
    await using world = createWorld()
    world.place.write('a.md', '# Garage\n\nThe car is red.')
    world.place.write('b.md', '# Kitchen\n\nThe oven is hot.')
    world.place.write('c.md', '# Garden\n\nThe fence is white, the gate as well.')
    world.place.write('d.md', '# Bath\n\nBlue tiles.')
    const memory = world.process({ embedding })
    await memory.sync()
    const { chunks } = await memory.guide({ title, prompt: '' })
    expect(chunks.map(({ path }) => path).sort()).toEqual([...paths].sort())
  })
})

describe('a chunk that people find useful', () => {
  it('is found before one that is as close by its words, until its text changes', async () => {
    await using world = createWorld()
    world.place.write('a.md', '# Release\n\nThe same.')
    world.place.write('b.md', '# Release\n\nThe same.')
    const memory = world.process({ shared: true })
    await memory.sync()
    const first = async (of = memory) => (await of.search({ query: 'release', maxResults: 1 })).chunks[0]
    const before = await first()
    const other = before?.path === 'a.md' ? 'b.md' : 'a.md'
    await memory.files.rateChunk((await memory.files.chunks(other)).chunks[0]?.id ?? '', true)
    for (const each of [memory, world.process({ shared: true })])
      expect((await first(each))?.path).toBe(other)
    world.place.write(other, '# Release\n\nThe same.\n\n# More')
    await memory.sync()
    expect((await first())?.path).toBe(other)
    await memory.files.rateChunk((await first())?.id ?? '', false)
    expect((await first())?.path).toBe(before?.path)
    await expect(memory.files.rateChunk('chk_0', true)).rejects.toMatchObject({
      code: 'memory_chunk_not_found',
    })
  })
})

describe('what is said of a thing that a task was given', () => {
  const startJudged = async () => {
    const text = '# Release\n\nThe steps of it.'
    const list = async () => [{ path: 'a.md', tag: 't', size: text.length }]
    const api = await startApi({ memoryFiles: { list, read: async () => Buffer.from(text) } })
    const { call } = api
    await call('POST /api/memory/sync')
    const [chunk] = (await call('GET /api/memory/files/a.md/chunks')).body.chunks
    const body = { type: 'tool_chain', intent: 'Release', solution: 'Steps' }
    const { experience } = (await call('POST /api/memory/experiences', { body })).body
    return {
      api,
      chunk: {
        id: chunk.id as string,
        request: `POST /api/memory/chunks/${chunk.id}/rate`,
        standing: async () => {
          const found = await call('POST /api/memory/search', { body: { query: 'steps of a release' } })
          return [found.body.chunks[0].score]
        },
      },
      experience: {
        id: experience.id as string,
        request: `POST /api/memory/experiences/${experience.id}/use`,
        standing: async () => {
          const read = (await call(`GET /api/memory/experiences/${experience.id}`)).body.experience
          return [read.successScore, read.useCount]
        },
      },
    }
  }

  it.each(['chunk', 'experience'] as const)(
    'counts once for each task, of a %s, as it was said last, and is read again',
    async (kind) => {
      const { api, ...things } = await startJudged()
      await using _open = api
      const { id, request, standing } = things[kind]
      const say = async (useful: boolean, taskId?: string) => {
        expect((await api.call(request, { body: { useful, taskId } })).status).toBe(200)
        return standing()
      }
      const said = async (taskId: string) =>
        (await api.call(`GET /api/memory/verdicts?taskId=${taskId}`)).body.verdicts
      const first = await standing()
      expect(await said('task_1')).toEqual([])
      const useful = await say(true, 'task_1')
      expect(useful[0]).toBeGreaterThan(first[0])
      expect(await say(true, 'task_1')).toEqual(useful)
      const not = await say(false, 'task_1')
      expect(not[0]).toBeCloseTo(2 * first[0] - useful[0], 3)
      expect(await said('task_1')).toEqual([{ id, useful: false, at: expect.any(String) }])
      expect(await say(true, 'task_1')).toEqual(useful)
      expect(await say(false, 'task_1')).toEqual(not)
      // Of another task, and of none, it is said anew.
      expect((await say(true, 'task_2'))[0]).toBeGreaterThan(not[0])
      const often = await say(true)
      expect((await say(true))[0]).toBeGreaterThan(often[0])
      expect(await said('task_2')).toEqual([{ id, useful: true, at: expect.any(String) }])
    },
  )
})
