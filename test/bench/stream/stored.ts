import { join } from 'node:path'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { openSqliteStore } from '../../../lib/adapters/sqlite/store.ts'
import { collections } from '../../../lib/collections.ts'
import { hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { meterCapacity } from '../../adapters/dynamodb/capacity-meter.ts'
import { openClient, openTables } from '../../adapters/dynamodb/opened.ts'
import { costsOfSession, READ_CHARACTERS, STREAMED_SECONDS } from '../../agentic/stored-costs.ts'
import { openChat } from '../../chat/long-conversation.ts'
import { discard, scratch } from '../children.ts'
import { median } from '../quantile.ts'
import { atMost, type Row } from '../row.ts'
import { machineMs } from '../starts.ts'

const SHORT = 100
const LONG = 10_000
/** Two messages each: the next summary falls among them. */
const TURNS = 60
/** Figures of units are exact, but for where in its round a conversation was last summarised; times are not. */
const MOST_UNITS = 1.1
const MOST_TIME = 2

type Chat = ReturnType<typeof openChat>
type Measure = (work: () => Promise<unknown>) => Promise<number>

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** What is done with a conversation of 10,000 messages against one of 100, one after the other. */
const compared = async (chat: Chat, measure: Measure, of: (values: readonly number[]) => number) => {
  const [few, many] = [chat.operations(await chat.filled(SHORT)), chat.operations(await chat.filled(LONG))]
  // What is not summarised yet is so once.
  for (const [, work] of [...few, ...many]) await work()
  const both = [few, many].map((all) => all.map(([name, work]) => ({ name, work, values: [] as number[] })))
  for (let turn = 0; turn < TURNS; turn += 1) {
    // The first read after the writes of a turn finds less in memory, whichever it is.
    await few[0]?.[1]()
    for (const at of few.keys())
      for (const all of turn % 2 === 0 ? both : both.toReversed()) {
        const one = all[at]
        one?.values.push(await measure(one.work))
      }
  }
  const [ofFew = [], ofMany = []] = both
  return ofMany.map(({ name, values }, at) => ({
    measure: `${name}, ${LONG.toLocaleString('en-US')} messages`,
    ours: of(values),
    against: of(ofFew[at]?.values ?? []),
    opponent: `of ${SHORT}`,
  }))
}

const inMini = async (): Promise<Row[]> => {
  const folder = scratch('conversation')
  const store = openSqliteStore({ file: join(folder, 'service.db'), collections, clock: createClock() })
  const timed: Measure = async (work) => {
    const from = machineMs()
    await work()
    return machineMs() - from
  }
  const all = await compared(openChat(store), timed, median)
  await store.close()
  discard(folder)
  return all.map((one) => atMost(MOST_TIME, { ...one, measure: `mini: ${one.measure}`, unit: 'ms' }))
}

const inPro = async (): Promise<Row[]> => {
  const emulator = await startDynoxide()
  const client = openClient(emulator.endpoint)
  const meter = meterCapacity(client)
  const { store } = await openTables({ client, collections, clock: createClock() })
  const { short, seen } = await costsOfSession(store, meter)
  const units: Measure = async (work) => {
    meter()
    await work()
    return meter().read
  }
  const all = await compared(openChat(store), units, mean)
  client.destroy()
  await emulator.stop()
  const limit = { unit: 'WU', opponent: 'limit' }
  return [
    atMost(1, {
      ...limit,
      measure: `pro: a step that reads ${READ_CHARACTERS / 1_000} kB`,
      ours: short.write,
      against: 4,
    }),
    atMost(1, {
      ...limit,
      measure: `pro: the same in ${STREAMED_SECONDS} s, followed`,
      ours: seen.write,
      against: 4 + STREAMED_SECONDS / 2,
    }),
    ...all.map((one) => atMost(MOST_UNITS, { ...one, measure: `pro: ${one.measure}`, unit: 'RU' })),
  ]
}

/** What sessions and long conversations take of storage: time in mode `mini`, capacity units of an emulator in `pro`. */
export const measureStored = async (): Promise<Row[]> => {
  const mini = await inMini()
  if (hasDynoxide()) return [...mini, ...(await inPro())]
  console.error('dynoxide is not installed for this machine: nothing counts capacity units')
  return mini
}
