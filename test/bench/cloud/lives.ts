import { body as taskBody } from '../../adapters/dynamodb/life.ts'
import { httpEvent } from '../../fakes/http-event.ts'
import { atMost, type Row } from '../row.ts'
import { columns, figure } from './columns.ts'
import { runEvent } from './events.ts'
import type { Invoked } from './invoked.ts'
import type { World } from './world.ts'

const LONES = 5
const BURST = 100

/** The tasks whose whole life is measured, with what each may write: a lone one, and each of a burst. */
const KINDS = [
  { name: '0.6 kB', promptBytes: 400, isKeyed: false, most: { lone: 19, burst: 14 } },
  { name: '0.6 kB under a key', promptBytes: 400, isKeyed: true, most: {} },
  { name: '3 kB', promptBytes: 3_000, isKeyed: false, most: { burst: 23 } },
  { name: '3 kB under a key', promptBytes: 3_000, isKeyed: true, most: {} },
] as const
type Kind = (typeof KINDS)[number]

/** Write units of the three functions that a task comes by. */
export type Life = { name: string; manner: 'lone' | 'burst'; create: number; run: number; count: number }

let keys = 0
const createEvent = ({ known }: World, { promptBytes, isKeyed }: Kind) => {
  keys += 1
  const headers = isKeyed ? { ...known, 'idempotency-key': `life-${keys}` } : known
  return httpEvent('POST /api/tasks', taskBody({ prompt: 'p'.repeat(promptBytes) }), headers)
}

const created = async (tasks: Invoked, event: unknown): Promise<string> => {
  const { statusCode, body } = (await tasks.invoke(event)).answer as { statusCode: number; body: string }
  if (statusCode !== 201) throw new Error(`A create was answered ${statusCode}: ${body}`)
  return JSON.parse(body).task.id
}

/** So many lives together, in means: all are created, then run, and what follows is done in batches of `batchSize`. */
const lived = async (world: World, kind: Kind, count: number, batchSize: number) => {
  const [tasks, worker, stream] = await Promise.all(
    ['tasks', 'worker', 'stream'].map((name) => world.metered.function(name)),
  )
  if (!tasks || !worker || !stream) throw new Error('There is no function')
  await world.drain(await world.direct.function('stream'))
  const written = () => world.taken().write / count
  written()
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) ids.push(await created(tasks, createEvent(world, kind)))
  const create = written()
  for (const id of ids) await worker.invoke(runEvent(id))
  const run = written()
  await world.drain(stream, batchSize)
  return { create, run, count: written() }
}

/** The lives of every kind of task: the dearest of some lone ones, whose every change is a batch, and a burst. */
export const measureLives = async (world: World): Promise<Life[]> => {
  const all: Life[] = []
  // The first request notes that its session was seen, which is done once in a while.
  await lived(world, KINDS[0], 1, 1)
  for (const kind of KINDS) {
    const lones = []
    for (let n = 0; n < LONES; n += 1) lones.push(await lived(world, kind, 1, 1))
    const [dearest] = lones.sort((a, b) => sum(b) - sum(a))
    if (dearest) all.push({ name: kind.name, manner: 'lone', ...dearest })
    all.push({ name: kind.name, manner: 'burst', ...(await lived(world, kind, BURST, BURST)) })
  }
  return all
}

const sum = ({ create, run, count }: Pick<Life, 'create' | 'run' | 'count'>) => create + run + count

/** The promises about whole lives. */
export const lifeTargets = (lives: readonly Life[]): Row[] =>
  lives.flatMap((life) => {
    const most: { lone?: number; burst?: number } = KINDS.find(({ name }) => name === life.name)?.most ?? {}
    const against = most[life.manner]
    if (against === undefined) return []
    const measure = `created to completed and counted, ${life.name}, ${life.manner}`
    return atMost(1, { measure, unit: 'WU', ours: sum(life), against, opponent: 'limit' })
  })

/** Which function of which life writes what. */
export const lifeTable = (lives: readonly Life[]): string =>
  columns(
    ['write units of a task', '', 'create', 'claim and complete', 'counters', 'together'],
    lives.map((life) => [
      life.name,
      life.manner,
      ...[life.create, life.run, life.count, sum(life)].map(figure),
    ]),
    2,
  )
