import { DeleteCommand, GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createChangeConsumer } from '../../../lib/adapters/aws/dynamodb/change-consumer.ts'
import { documentClient } from '../../../lib/adapters/aws/dynamodb/connection.ts'
import type { StreamRecord } from '../../../lib/adapters/aws/dynamodb/stream.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import type { Change, Message } from '../../../lib/core/collection.ts'
import { hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { createStreams, streamArns } from '../../../offline/streams.ts'
import { job, jobs, samples } from '../../contract/store-samples.ts'
import { seededRandom, upTo } from '../../crash/random.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { type Opened, openTables } from './opened.ts'

const SHARD = 'shardId-00000001776000000001-aaaa'
const CHILD = 'shardId-00000001776000000002-bbbb'
/** 100 in CI for each of the two ways to die; a full run takes more. */
const KILLS = Number(process.env.STREAM_KILLS ?? 30)
const HOUR_S = 3_600

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: nothing has streams')
const suite = hasDynoxide() ? describe : describe.skip

suite('the change consumer', () => {
  const database = databaseForTests(startDynoxide)
  const clock = createClock()
  let opened: Opened
  let arn = ''
  let endpoint = ''
  let delivered: Message[] = []
  let refuses = 0
  const log = createFakeLog()
  /** Ends the consumer before a call of this number. */
  let dies: number | undefined
  let calls = 0

  beforeAll(async () => {
    const { protocol, hostname, port } = (await database().client.config.endpoint?.()) ?? {}
    endpoint = `${protocol ?? 'http:'}//${hostname}:${port}`
    database().client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const { TableName = '' } = args.input as { TableName?: string }
          if (commandName === 'UpdateItemCommand' && TableName.endsWith('counters') && dies !== undefined) {
            calls += 1
            if (calls === dies) throw new Error('killed')
            const answer = await next(args)
            // Also between its writing and the answer.
            if (calls + 0.5 === dies) throw new Error('killed')
            return answer
          }
          return next(args)
        },
      { step: 'initialize', name: 'killing' },
    )
  })
  beforeEach(async () => {
    const { client } = database()
    dies = undefined
    refuses = 0
    delivered = []
    log.entries.length = 0
    opened = await openTables({ client, collections: samples, clock })
    const [stream] = await streamArns(client, opened.definitions)
    arn = stream ?? ''
  })

  /** A new process that has counted nothing yet. */
  const open = (collections = samples) =>
    createChangeConsumer({
      client: database().client,
      collections,
      clock,
      tableName: opened.tableName,
      log,
      deliver: async (messages) => {
        if (refuses > 0) {
          refuses -= 1
          throw new Error('the queue takes nothing now')
        }
        delivered.push(...messages)
      },
    })

  /** Everything in the stream. */
  const records = async (): Promise<StreamRecord[]> => {
    const { shards, start, read } = createStreams(endpoint)
    const all: StreamRecord[] = []
    for (const { ShardId } of await shards(arn)) {
      let from: string | undefined = await start(arn, ShardId)
      while (from !== undefined) {
        const page: { records: StreamRecord[]; next: string | undefined } = await read(from, 1_000)
        if (page.records.length === 0) break
        all.push(...page.records)
        from = page.next
      }
    }
    return all.map((record) => ({ ...record, eventSourceARN: arn }))
  }
  const batch = (some: readonly StreamRecord[], shardId = SHARD) => ({ Records: some, shardId })
  const counted = async () => (await opened.store.counters('jobs')).all ?? {}
  /** Rows in several states, which move several counter items. */
  const world = async (rows: number) => {
    const ids = Array.from({ length: rows }, (_, n) => `w${n}`)
    await Promise.all(
      ids.map((id) =>
        opened.store.commit({
          insert: jobs,
          row: job(id, { createdAt: `2031-01-0${(Number(id.slice(1)) % 5) + 1}` }),
        }),
      ),
    )
    for (const id of ids.slice(0, rows / 2))
      await opened.store.commit({ update: jobs, key: id, set: { state: 'ready' } })
    for (const id of ids.slice(0, rows / 4))
      await opened.store.commit({
        update: jobs,
        key: id,
        set: { state: 'done', size: Number(id.slice(1)) + 1 },
      })
    return { new: rows / 2, ready: rows / 4, done: rows / 4, total: rows }
  }
  const days = async () =>
    Object.values(await opened.store.counters('jobs.daily')).reduce((sum, { done = 0 }) => sum + done, 0)

  it('counts each record once, in overlapping batches and in batches with other boundaries', async () => {
    const expected = await world(16)
    const all = await records()
    await open()(batch(all.slice(0, 10)))
    await open()(batch(all.slice(4, 14)))
    await open()(batch(all.slice(0, 3)))
    await open()(batch(all.slice(9)))
    await open()(batch(all))
    expect(await counted()).toMatchObject(expected)
    expect(await days()).toBe(expected.done)
  })

  it('counts each record once while a consumer that was thought to be dead counts them too', async () => {
    const expected = await world(16)
    const all = await records()
    // A consumer begins at a record only once those before it are counted.
    await open()(batch(all.slice(0, 5)))
    await Promise.all([all, all, all.slice(5)].map((some) => open()(batch(some))))
    expect(await counted()).toMatchObject(expected)
    expect(await days()).toBe(expected.done)
  })

  it('counts a child shard beside its parent', async () => {
    const expected = await world(16)
    const all = await records()
    const [parent, child] = [all.slice(0, 14), all.slice(14)]
    const [one, other] = [open(), open()]
    await Promise.all([one(batch(parent, SHARD)), other(batch(child, CHILD))])
    await Promise.all([other(batch(parent, SHARD)), one(batch(child, CHILD))])
    expect(await counted()).toMatchObject(expected)
  })

  it('counts a row that has expired out again when its removal is told', async () => {
    await opened.store.commit({ insert: jobs, row: job('gone') })
    await opened.store.commit({ remove: jobs, key: 'gone' })
    const [made, removed] = await records()
    const byTtl = { ...removed, userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } }
    await open()(batch([made ?? {}]))
    expect(await counted()).toMatchObject({ new: 1, total: 1 })
    await open()(batch([byTtl]))
    expect(await counted()).toMatchObject({ new: 0, total: 0 })
  })

  it('takes an insert over an expired row for a removal and an insert', async () => {
    const expiresAt = clock.now() + 50
    await opened.store.commit({
      insert: jobs,
      row: job('again', { state: 'ready', expiresAt }),
      log: [{ id: 'a1' }],
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    await opened.store.commit({ insert: jobs, row: job('again', { state: 'ready' }), log: [{ id: 'a2' }] })
    await open()(batch(await records()))
    expect(await counted()).toMatchObject({ ready: 1, total: 1 })
    expect(delivered.filter(({ to }) => to === 'notices').map(({ id }) => id)).toEqual(['a1', 'a2'])
    expect(await opened.store.log(jobs, 'again')).toEqual([{ id: 'a2' }])
  })

  it('tells nothing of entries that spill, and each entry of a log once', async () => {
    const seen: string[] = []
    const sends = ({ log: entries }: Pick<Change<object>, 'log'>) => {
      seen.push(...entries.map(({ id }) => id))
      return []
    }
    const watching = samples.map((one) =>
      one.name === jobs.name ? { ...one, sends } : one,
    ) as unknown as typeof samples
    await opened.store.commit({ insert: jobs, row: job('spills'), log: [{ id: 'e000' }] })
    for (let n = 1; n < 100; n += 1)
      await opened.store.commit({
        update: jobs,
        key: 'spills',
        set: { size: n },
        log: [{ id: `e${String(n).padStart(3, '0')}` }],
      })
    await open(watching)(batch(await records()))
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => `e${String(n).padStart(3, '0')}`))
    expect(await opened.store.log(jobs, 'spills')).toHaveLength(100)
  })

  it('leaves what cannot be processed, and counts what is before it', async () => {
    const expected = await world(8)
    const all = await records()
    const poison = {
      ...all[5],
      dynamodb: { ...all[5]?.dynamodb, NewImage: { id: { X: 'no such type' } } },
    } as unknown as StreamRecord
    const some = all.toSpliced(5, 0, {
      ...poison,
      dynamodb: { ...poison.dynamodb, SequenceNumber: all[5]?.dynamodb?.SequenceNumber ?? '' },
    })
    expect(await open()(batch(some))).toEqual({
      batchItemFailures: [{ itemIdentifier: all[5]?.dynamodb?.SequenceNumber }],
      state: {},
    })
    // As a whole it fails, and is halved until the record is alone.
    await expect(open()(batch(some.slice(5)))).rejects.toThrow()
    await expect(open()(batch([some[5] ?? {}]))).rejects.toThrow()
    await open()(batch(some.slice(6)))
    expect(await counted()).toMatchObject(expected)
    expect(log.entries.map(({ level }) => level)).toEqual(['error', 'error', 'error'])
  })

  it('fails from the first record whose messages were refused, and counts nothing twice', async () => {
    const expected = await world(8)
    const all = await records()
    refuses = 1
    const consumer = open()
    const { batchItemFailures } = await consumer(batch(all))
    const from = all.findIndex(
      ({ dynamodb }) => dynamodb?.SequenceNumber === batchItemFailures[0]?.itemIdentifier,
    )
    expect(from).toBe(8)
    expect(await counted()).toMatchObject({ new: 8, total: 8 })
    expect(delivered).toEqual([])
    expect(await consumer(batch(all.slice(from)))).toEqual({ batchItemFailures: [], state: {} })
    expect(await counted()).toMatchObject(expected)
    expect(delivered.filter(({ to }) => to === 'run')).toHaveLength(4)
  })

  it('compares sequence numbers as numbers, however long they are', async () => {
    await world(4)
    const all = (await records()).map((record, n) => ({
      ...record,
      dynamodb: { ...record.dynamodb, SequenceNumber: String(8 + n) },
    }))
    await open()(batch(all.slice(0, 2)))
    await open()(batch(all.slice(2)))
    await open()(batch(all))
    expect(await counted()).toMatchObject({ total: 4 })
  })

  it('forgets the watermarks of shards that nothing can come from any more', async () => {
    const now = clock.now() / 1_000
    const at = (record: StreamRecord, seconds: number) => ({
      ...record,
      dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: seconds },
    })
    await world(4)
    const [first, second, third] = await records()
    await open()(batch([at(first ?? {}, now - 26 * HOUR_S)], SHARD))
    await open()(batch([at(second ?? {}, now - 2 * HOUR_S)], CHILD))
    const watermarks = async () => Object.keys(await counterItem()).filter((name) => name.startsWith('@'))
    expect(await watermarks()).toEqual(['@jobs/1776000000002-bbbb'])
    await open()(batch([at(third ?? {}, now)], SHARD))
    expect((await watermarks()).sort()).toEqual(['@jobs/1776000000001-aaaa', '@jobs/1776000000002-bbbb'])
  })

  const counterItem = async () => {
    const request = { TableName: opened.tableName({ name: 'counters' }), Key: { c: 'jobs', m: 'all' } }
    return (await documentClient(database().client).send(new GetCommand(request))).Item ?? {}
  }

  it('refuses a batch of a shard that is not named', async () => {
    await world(4)
    const all = await records()
    await expect(open()({ Records: all })).rejects.toThrow('tumbling window')
    expect(await open()({ Records: [], shardId: SHARD })).toEqual({ batchItemFailures: [], state: {} })
  })

  it(`counts exactly, and sends every message, when it is killed ${KILLS} times at any point`, async () => {
    const random = seededRandom(20_261_123)
    const expected = await world(64)
    const all = await records()
    let kills = 0
    for (let from = 0; from < all.length || kills < KILLS; ) {
      // When all is counted, everything is counted from the beginning.
      if (from >= all.length) {
        await check(expected)
        await forget()
        from = 0
      }
      const some = all.slice(from, from + 1 + upTo(12, random))
      calls = 0
      dies = random() < 0.9 ? 1 + upTo(8, random) / 2 : undefined
      try {
        await open()(batch(some))
        from += some.length
      } catch {
        kills += 1
        // The next one begins anywhere behind.
        from = Math.max(0, from - upTo(4, random))
      }
    }
    await check(expected)
  })

  const check = async (expected: Record<string, number>) => {
    dies = undefined
    expect(await counted()).toEqual({ ...expected, size: (16 * 17) / 2, smallest: 1, largest: 16 })
    expect(await days()).toBe(expected.done)
    expect(new Set(delivered.filter(({ to }) => to === 'run').map(({ id }) => id)).size).toBe(32)
  }
  const forget = async () => {
    delivered = []
    const TableName = opened.tableName({ name: 'counters' })
    const documents = documentClient(database().client)
    const { Items = [] } = await documents.send(new ScanCommand({ TableName }))
    for (const { c, m } of Items) await documents.send(new DeleteCommand({ TableName, Key: { c, m } }))
  }
})
