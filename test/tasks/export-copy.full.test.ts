import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { taskRoutes } from '../../lib/tasks/contract.ts'
import { createExportCopies } from '../../lib/tasks/export.ts'
import { taskHandlers } from '../../lib/tasks/handlers.ts'
import { openArchive, type Verb } from '../adapters/aws/opened-archive.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { ANN, startDomains, until } from '../fakes/service.ts'
import { serve } from '../http/serve.ts'

const PAGE = 500
/** With this every page is longer than a part, and a stream's buffers are full with the first. */
const PROMPT = 'é'.repeat(6_000)

let opened: Awaited<ReturnType<typeof openArchive>>
let close: () => Promise<void>
beforeEach(async () => {
  opened = await openArchive()
})
afterEach(async () => {
  await close?.()
  await opened.stop()
})
afterAll(() =>
  Promise.all([...filled.values()].map(async (domains) => (await domains)[Symbol.asyncDispose]())),
)

/** Called with each page of an export that is read from storage. */
let onPage: () => void
const filled = new Map<number, ReturnType<typeof fill>>()

const fill = async (count: number) => {
  const wrapStore = (store: Store): Store => ({
    ...store,
    page: async (of, query) => {
      if (of.name === 'tasks' && query.limit === PAGE) onPage()
      return store.page(of, query)
    },
  })
  const domains = await startDomains({ background: false, wrapStore })
  await Promise.all(
    Array.from({ length: count }, (_, at) => domains.create({ title: `${at}`, prompt: PROMPT })),
  )
  return domains
}

/** The domains with so many tasks, filled once for all tests: an export only reads them. */
const filledWith = (count: number) => {
  const domains = filled.get(count) ?? fill(count)
  filled.set(count, domains)
  return domains
}

/** The service over HTTP, with so many tasks; `beforePage` may fail the storage. */
const started = async (count: number, beforePage: (page: number) => void = () => undefined) => {
  let pages = 0
  const domains = await filledWith(count)
  onPage = () => beforePage(++pages)
  const log = createFakeLog()
  const keepExport = createExportCopies({ archive: opened.archive, ids: domains.ids, log })
  const isRead = Promise.withResolvers<void>()
  async function* exportAll() {
    try {
      yield* domains.tasks.exportAll(ANN)
    } finally {
      isRead.resolve()
    }
  }
  const service = await serve(
    taskRoutes,
    taskHandlers({ ...domains, tasks: { ...domains.tasks, exportAll }, keepExport }),
  )
  close = service.close
  const ask = async () => {
    const [answer] = (await once(get(`${service.url}/api/tasks/export`), 'response')) as [IncomingMessage]
    return { answer, key: String(answer.headers['x-export-copy']) }
  }
  return { ask, log, pages: () => pages, isRead: isRead.promise }
}

const breaking = (verb: Verb) => opened.fail((called) => (called === verb ? 'broken' : undefined))
const givenUp = expect.objectContaining({ level: 'warn', message: 'the copy of an export was given up' })

describe('a copy of an export', () => {
  it('lies where the answer says when the answer has ended, and is the same to the byte', async () => {
    const { ask, log } = await started(1_100)
    const { answer, key } = await ask()
    expect(answer.headers).toMatchObject({
      'content-disposition': 'attachment; filename="tasks-export.json"',
      'content-type': 'application/json; charset=utf-8',
    })
    const streamed = await text(answer)
    expect(key).toMatch(/^exports\/export_[0-9A-Z]{26}\.json$/)
    const kept = await opened.read(key)
    expect(kept.text === streamed).toBe(true)
    expect(JSON.parse(streamed)).toMatchObject({ taskCount: 1_100 })
    expect(opened.verbs().filter((verb) => verb === 'part')).toHaveLength(3)
    expect(log.entries).toEqual([])
  })

  it('is another object each time', async () => {
    const { ask } = await started(0)
    const keys: string[] = []
    for (const _ of '12') {
      const { answer, key } = await ask()
      await text(answer)
      keys.push(key)
    }
    expect(await opened.keys()).toEqual(keys.sort())
    expect(new Set(keys).size).toBe(2)
  })

  it('is finished when the caller hangs up after the first bytes', async () => {
    const { ask, log, pages } = await started(1_100)
    const { answer, key } = await ask()
    await once(answer, 'data')
    answer.destroy()
    await until(async () => (await opened.keys()).includes(key))
    expect(pages()).toBe(3)
    expect(JSON.parse(String((await opened.read(key)).text))).toMatchObject({ taskCount: 1_100 })
    expect(log.entries).toEqual([])
  })

  it('is not read for faster than the caller reads', async () => {
    const { ask, pages } = await started(2_100)
    const { answer } = await ask()
    await once(answer, 'readable')
    await until(() => pages() > 0)
    for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(pages()).toBeLessThan(5)
    await text(answer)
    expect(pages()).toBe(5)
  })

  it.each(['begin', 'part', 'complete'] as const)(
    'that S3 refuses to %s costs the caller nothing, is in the log and leaves no object',
    async (verb) => {
      const { ask, log } = await started(1_100)
      breaking(verb)
      const { answer } = await ask()
      expect(JSON.parse(await text(answer))).toMatchObject({ taskCount: 1_100 })
      expect(await opened.keys()).toEqual([])
      expect(opened.verbs().at(-1)).toBe(verb === 'begin' ? verb : 'abort')
      expect(opened.verbs().filter((called) => called === verb)).toHaveLength(1)
      expect(log.entries).toEqual([givenUp])
    },
  )

  it('that cannot be given up either is in the log with both', async () => {
    const { ask, log } = await started(1_100)
    breaking('part')
    breaking('abort')
    expect(JSON.parse(await text((await ask()).answer))).toMatchObject({ taskCount: 1_100 })
    expect(log.entries).toMatchObject([
      { level: 'warn', fields: { err: { code: 'archive_unavailable' } } },
      { level: 'warn', fields: { err: { code: 'archive_unavailable' } } },
    ])
  })

  it('is given up when storage fails, and the answer breaks off', async () => {
    const { ask, log } = await started(1_100, (page) => {
      if (page === 3) throw new Problem('unavailable', 'storage_unavailable', 'It was the test')
    })
    await expect(text((await ask()).answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(opened.verbs().slice(-1)).toEqual(['abort'])
    expect(await opened.keys()).toEqual([])
    expect(log.entries).toEqual([givenUp])
  })

  it('is given up when storage fails after the caller has left', async () => {
    const { ask, log } = await started(1_100, (page) => {
      if (page === 3) throw new Problem('unavailable', 'storage_unavailable', 'It was the test')
    })
    const { answer } = await ask()
    await once(answer, 'data')
    answer.destroy()
    await until(() => opened.verbs().includes('abort'))
    expect(await opened.keys()).toEqual([])
    expect(log.entries).toEqual([givenUp])
  })

  it.each([1, 4])('whose part %i fails is no longer read for when the caller has left', async (at) => {
    const { ask, log, pages, isRead } = await started(2_100)
    let parts = 0
    opened.fail((verb) => (verb === 'part' && ++parts === at ? 'broken' : undefined))
    const { answer } = await ask()
    await once(answer, 'data')
    answer.destroy()
    await isRead
    expect(pages()).toBeLessThan(5)
    await until(() => opened.verbs().at(-1) === 'abort')
    expect(log.entries).toEqual([givenUp])
  })

  it('goes on to its caller while the copy is being given up, and ends after that', async () => {
    const aborting = Promise.withResolvers<void>()
    const draft = {
      write: () => Promise.reject(new Error('It was the test')),
      close: async () => undefined,
      abort: () => aborting.promise,
    }
    const log = createFakeLog()
    const keepExport = createExportCopies({ archive: { begin: () => draft }, ids: createFakeIds(), log })
    async function* given() {
      yield* ['a', 'b']
    }
    const { pieces } = keepExport(given())
    expect([await pieces.next(), await pieces.next()].map(({ value }) => value)).toEqual(['a', 'b'])
    let isOver = false
    const over = pieces.next().then(() => {
      isOver = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isOver).toBe(false)
    aborting.resolve()
    await over
    expect(log.entries).toMatchObject([{ level: 'warn' }])
  })
})
