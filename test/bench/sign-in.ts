import { rawSender } from '../journeys/raw.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'
import { quantile } from './quantile.ts'

/**
 * What signing in costs those who are signed in already, and whether its time tells who has an account:
 * `npm run -s node -- test/bench/sign-in.ts`. Load and service share the machine.
 */
const PHASE_MS = 8_000
const AT_ONCE = 50
const ACCOUNTS = 30
const TRIES = 8
const PASSWORD = 'correct horse 1'

let addresses = 0
/** The limits count by address; these are of nobody. */
const nextAddress = () => {
  addresses += 1
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`
}

type Sender = ReturnType<typeof rawSender>

const post = async (sender: Sender, path: string, body: object) => {
  const headers = { 'x-forwarded-for': nextAddress() }
  return sender.send({ method: 'POST', path, headers, body: JSON.stringify(body) })
}
const logIn = (sender: Sender, email: string, password = 'wrong 1') =>
  post(sender, '/api/auth/login', { email, password })

const timed = async (call: () => Promise<{ status: number }>, status: number): Promise<number> => {
  const startedAt = performance.now()
  const answer = await call()
  if (answer.status !== status) throw new Error(`answered ${answer.status}, not ${status}`)
  return performance.now() - startedAt
}

/** One reader of each endpoint, one request after the other, until the time is over. */
const readers = async (baseUrl: string, cookie: string) => {
  const until = performance.now() + PHASE_MS
  const read = async (path: string) => {
    using sender = rawSender(baseUrl)
    const took: number[] = []
    while (performance.now() < until)
      took.push(await timed(() => sender.send({ path, headers: { cookie } }), 200))
    return took
  }
  const [health, tasks] = await Promise.all([read('/api/health'), read('/api/tasks')])
  return { health, tasks }
}

const figures = (took: readonly number[]) =>
  [0.5, 0.99, 1].map((q) => `${quantile(took, q).toFixed(1)} ms`.padStart(10)).join('')

const main = async () => {
  using folder = temporaryFolder()
  await using service = await startService({
    env: {
      AUTH_MODE: 'cloud',
      REGISTRATION_MODE: 'open',
      TRUST_PROXY: '1',
      LOG_LEVEL: 'info',
      DATA_DIR: folder.path,
    },
  })
  using sender = rawSender(service.baseUrl)
  const emails = Array.from({ length: ACCOUNTS }, (_, n) => `known${n}@example.com`)
  for (const email of emails)
    await post(sender, '/api/auth/signup', { email, password: PASSWORD, name: 'Known' })
  const answer = await logIn(sender, emails[0] ?? '', PASSWORD)
  const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  for (let n = 0; n < 50; n++)
    await sender.send({ method: 'POST', path: '/api/tasks', headers: { cookie }, body: '{"title":"A task"}' })

  const known: number[] = []
  const unknown: number[] = []
  const tries = [
    async (n: number) => known.push(await timed(() => logIn(sender, emails[n % ACCOUNTS] ?? ''), 401)),
    async (n: number) => unknown.push(await timed(() => logIn(sender, `other${n}@example.com`), 401)),
  ]
  for (let n = 0; n < ACCOUNTS * TRIES; n++) {
    // Each comes first as often as the other.
    for (const attempt of n % 2 ? tries : tries.toReversed()) await attempt(n)
  }
  console.log(`login refused, ${known.length} of each in turn      p50       p99       max`)
  console.log(`  wrong password, account is there ${figures(known)}`)
  console.log(`  no such account                  ${figures(unknown)}`)

  const idle = await readers(service.baseUrl, cookie)
  let isOver = false
  let hashed = 0
  const logins = Array.from({ length: AT_ONCE }, async (_, n) => {
    using own = rawSender(service.baseUrl)
    for (let turn = 0; !isOver; turn++, hashed++)
      await timed(() => logIn(own, `load${n}-${turn}@example.com`), 401)
  })
  const busy = await readers(service.baseUrl, cookie)
  isOver = true
  const rate = hashed / (PHASE_MS / 1_000)
  await Promise.all(logins)
  console.log(
    `\nwhile ${AT_ONCE} logins are under way, ${rate.toFixed(0)} a second   p50       p99       max`,
  )
  for (const [name, took] of Object.entries({
    'GET /api/health, no login     ': idle.health,
    'GET /api/health, 50 logins    ': busy.health,
    'GET /api/tasks, no login      ': idle.tasks,
    'GET /api/tasks, 50 logins     ': busy.tasks,
  }))
    console.log(`  ${name}   ${figures(took)}   (${took.length} requests)`)
}

await main()
