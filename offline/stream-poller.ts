import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBStreamEvent, StreamRecord } from '../lib/adapters/aws/dynamodb/stream.ts'
import type { Log } from '../lib/ports/log.ts'
import { createInvocations, type FunctionHandler } from './invocation.ts'
import { createStreams } from './streams.ts'

type Settings = {
  endpoint: string
  streams: readonly string[]
  handler: FunctionHandler<DynamoDBStreamEvent>
  log: Pick<Log, 'error'>
  timeoutMs?: number
  batchSize?: number
  /** The retries of a failed batch; then it is skipped, like one that goes to the on-failure queue. */
  retries?: number
  /**
   * The file with the position in each shard, for the next process; without it, each shard begins at its oldest record.
   */
  file?: string
  /** The next process reads the records of this time again. */
  rereadMs?: number
}

export type StreamPoller = {
  /** Resolves when all records written before the call were handled. */
  drained(): Promise<void>
  stop(): Promise<void>
}

/** Lambda polls four times a second. */
const PAUSE_MS = 50
const RETRY_MS = 20

/** A minute, since the queues with their messages die with the process. */
const REREAD_MS = 60_000

/** The position in each shard `rereadMs` ago: the sequence number of the last record. */
const openCheckpoints = ({ file, rereadMs = REREAD_MS }: Pick<Settings, 'file' | 'rereadMs'>) => {
  const positions: Record<string, string> =
    file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const recent: { shardId: string; sequence: string; at: number }[] = []
  return {
    of: (shardId: string): string | undefined => positions[shardId],
    add: (shardId: string, sequence: string): void => {
      if (file === undefined) return
      const now = performance.now()
      recent.push({ shardId, sequence, at: now })
      const fresh = recent.findIndex(({ at }) => at >= now - rereadMs)
      if (fresh === 0) return
      for (const old of recent.splice(0, fresh)) positions[old.shardId] = old.sequence
      writeFileSync(`${file}.new`, JSON.stringify(positions))
      renameSync(`${file}.new`, file)
    },
  }
}

const sequenceNumber = ({ dynamodb }: StreamRecord) => dynamodb?.SequenceNumber ?? ''

/**
 * Does what Lambda's event source mapping does with DynamoDB streams: passes the records of each shard to a function in
 * order, from the oldest on; continues after a partial failure at the named record (`ReportBatchItemFailures`), halves a
 * batch that failed as a whole (`BisectBatchOnFunctionError`), and skips records that fail too often.
 */
export const startStreamPoller = (settings: Settings): StreamPoller => {
  const { endpoint, streams, handler, log, timeoutMs = 60_000, batchSize = 100, retries = 5 } = settings
  const { shards, start, read } = createStreams(endpoint)
  const invoke = createInvocations(handler, timeoutMs)
  const checkpoints = openCheckpoints(settings)
  let stopped = false

  /** The index of the first failed record: 0 for the whole batch, undefined for none. */
  const failureIn = async (
    records: readonly StreamRecord[],
    shardId: string,
  ): Promise<number | undefined> => {
    try {
      const answer = (await invoke({ Records: records, shardId })) as { batchItemFailures?: unknown[] }
      const named = new Set(
        (answer.batchItemFailures ?? []).map((one) => (one as { itemIdentifier: string }).itemIdentifier),
      )
      if (named.size === 0) return undefined
      return Math.max(
        0,
        records.findIndex((record) => named.has(sequenceNumber(record))),
      )
    } catch {
      return 0
    }
  }

  const feed = async (records: readonly StreamRecord[], shardId: string, left = retries): Promise<void> => {
    const failed = await failureIn(records, shardId)
    if (failed === undefined || stopped) return
    await sleep(RETRY_MS)
    if (failed > 0) return feed(records.slice(failed), shardId, left)
    if (records.length > 1) {
      const half = Math.ceil(records.length / 2)
      await feed(records.slice(0, half), shardId, left)
      return feed(records.slice(half), shardId, left)
    }
    if (left > 0) return feed(records, shardId, left - 1)
    log.error({ shardId, sequence: records.map(sequenceNumber).join() }, 'gave up on a record of a stream')
  }

  /** The shards of each stream in order: parents before their children. */
  const follow = (arn: string) => {
    const iterators = new Map<string, string | undefined>()
    const waiting: (() => void)[] = []

    /** Whether a shard had records; they were handled. */
    const readOn = async (shardId: string): Promise<boolean> => {
      if (!iterators.has(shardId)) iterators.set(shardId, await start(arn, shardId, checkpoints.of(shardId)))
      const from = iterators.get(shardId)
      if (from === undefined) return false
      const { records, next } = await read(from, batchSize)
      const named = records.map((record) => ({ ...record, eventSourceARN: arn }))
      const last = named.at(-1)
      if (last !== undefined) {
        await feed(named, shardId)
        if (!stopped) checkpoints.add(shardId, sequenceNumber(last))
      }
      iterators.set(shardId, next)
      return last !== undefined
    }

    const turn = async (): Promise<boolean> => {
      let hadRecords = false
      for (const { ShardId } of await shards(arn)) hadRecords = (await readOn(ShardId)) || hadRecords
      return hadRecords
    }

    const unreadable = (thrown: unknown) => {
      if (!stopped) log.error({ arn, reason: String(thrown) }, 'a stream could not be read')
      return !stopped
    }

    /** Polls all shards; waiters resolve when they were empty. */
    const look = async (): Promise<void> => {
      const here = waiting.splice(0)
      const hadRecords = await turn().catch(unreadable)
      if (hadRecords) waiting.unshift(...here)
      else for (const resolve of here) resolve()
      if (!hadRecords && waiting.length === 0) await sleep(PAUSE_MS)
    }

    const loop = async (): Promise<void> => {
      while (!stopped) await look()
      for (const resolve of waiting) resolve()
    }
    const ended = loop()
    return { ended, drained: () => new Promise<void>((resolve) => void waiting.push(resolve)) }
  }

  const followed = streams.map(follow)
  return {
    drained: async () => {
      await Promise.all(followed.map(({ drained }) => drained()))
    },
    stop: async () => {
      stopped = true
      await Promise.all(followed.map(({ ended }) => ended))
    },
  }
}
