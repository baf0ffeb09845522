import { setTimeout as sleep } from 'node:timers/promises'
import type { Task } from '../../lib/tasks/schema.ts'
import type { Script } from '../fixtures/agents/scripted.ts'
import { ask } from '../journeys/api.ts'
import { scriptedTask } from '../journeys/scripted.ts'
import { seededRandom, upTo } from './random.ts'

type Needs = {
  name: string
  /** One task in so many is to fail for good; without, none. */
  oneFailsIn?: number
  /** Sends each create under a key, again and again until it is acknowledged. Without, a lost answer is let go. */
  keyed: boolean
  /** Where the service is, while it is up. */
  address: () => string | undefined
  /** Whether too many of its tasks wait: it creates no more meanwhile. */
  isBehind?: (acknowledged: readonly string[]) => boolean
  isOver: () => boolean
  random: () => number
}
type Produced = { acknowledged: string[]; refused: string[] }

const PAUSE_MS = 25
const BEHIND_PAUSE_MS = 500
const LONGEST_RUN_MS = 40

/** Creates tasks until it is over; an answer of 201 is an acknowledgement. */
const produce = async (needs: Needs): Promise<Produced> => {
  const { name, keyed, oneFailsIn, address, isBehind = () => false, isOver, random } = needs
  const produced: Produced = { acknowledged: [], refused: [] }
  const scriptFor = (made: number): Script =>
    oneFailsIn !== undefined && made % oneFailsIn === 1 ? { manner: 'failing' } : {}
  const nextBody = (made: number) => ({
    ...scriptedTask(`${name}-${made}`, { runMs: upTo(LONGEST_RUN_MS, random), ...scriptFor(made) }),
    priority: 1 + upTo(3, random),
  })
  /** Whether there was an answer. */
  const create = async (url: string, body: { title: string }): Promise<boolean> => {
    try {
      const headers = keyed ? { 'idempotency-key': body.title } : {}
      const { status, body: answer } = await ask<{ task: Task }>(`${url}/api/tasks`, 'POST', body, headers)
      if (status === 201) produced.acknowledged.push(answer.task.id)
      else produced.refused.push(`${body.title}: ${status} ${JSON.stringify(answer)}`)
      return true
    } catch {
      return false
    }
  }
  let made = 0
  let body = nextBody(made)
  for (; !isOver(); await sleep(upTo(PAUSE_MS, random))) {
    if (isBehind(produced.acknowledged)) {
      await sleep(BEHIND_PAUSE_MS)
      continue
    }
    const url = address()
    if (url === undefined) continue
    const answered = await create(url, body)
    if (!answered && keyed) continue
    made += 1
    body = nextBody(made)
  }
  return produced
}

type Together = {
  names: readonly string[]
  /** Which of them, by their place, send under keys. */
  keyed: (place: number) => boolean
  seed: number
  address: Needs['address']
} & Pick<Needs, 'oneFailsIn' | 'isBehind'>

/** Producers create tasks together while `work` goes on; resolves to what they were told. */
export const produceDuring = async (
  work: () => Promise<unknown>,
  { names, keyed, seed, ...given }: Together,
): Promise<Produced> => {
  let over = false
  const producers = names.map((name, n) =>
    produce({ ...given, name, keyed: keyed(n), isOver: () => over, random: seededRandom(seed + n) }),
  )
  try {
    await work()
  } finally {
    over = true
  }
  const produced = await Promise.all(producers)
  return {
    acknowledged: produced.flatMap(({ acknowledged }) => acknowledged),
    refused: produced.flatMap(({ refused }) => refused),
  }
}

/** Producers of whom every second one sends under keys. */
export const halfKeyed = (count: number) => ({
  names: Array.from({ length: count }, (_, n) => `producer-${n}`),
  keyed: (place: number) => place % 2 === 0,
})
