import fc from 'fast-check'
import * as z from 'zod'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { TASK_STATUSES } from '../../lib/tasks/machine.ts'
import { exampleBody, exampleCall } from '../api/example-call.ts'
import { pathId } from './fuzz-ids.ts'
import type { Asked } from './raw.ts'

export type Fuzzed = { name: keyof typeof routes; asked: Asked }

const AWKWARD = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1',
    '50',
    '201',
    '1.5',
    '1e3',
    'NaN',
    'abc',
    'true',
    'null',
    ',',
    'a,b',
    '*',
    '%',
    '_',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '../..',
    '\u0000',
    '\u{1f4a5}',
    'é',
    '\ufffd',
  ],
  ...["' OR 1=1 --", '"; DROP TABLE tasks; --', '[]', '{}', '-', 'filter', 'read-all', '2024-02-30'],
  ...['2024-02-29', '2024-02-29T12:00:00Z', '1.0', 'createdAt', 'asc', 'moody', 'x'.repeat(3_000)],
  ...TASK_STATUSES,
]

/** Values that fit somewhere, that fit nowhere, and noise; `known` are ids and cursors of the service that is asked. */
const texts = (known: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...AWKWARD),
    fc.constantFrom(...known),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )

const values = (text: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc.oneof(text, fc.jsonValue(), fc.integer({ min: -1, max: 5 }), fc.array(text, { maxLength: 60 }))

/** An object whose keys are mostly those of the schema, so that each is tried with everything. */
const objects = (schema: z.ZodType | undefined, value: fc.Arbitrary<unknown>) => {
  const keys = schema instanceof z.ZodObject ? Object.keys(schema.shape) : ['any']
  return fc.dictionary(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...keys) }, fc.string()), value, {
    maxKeys: 8,
    noNullPrototype: true,
  })
}

/** Who signs in over and over; signed up before the first request. */
export const ADMIN = { email: 'admin@example.org', password: 'correct horse 1', name: 'Admin' }

/** Registered before the first request. */
export const RUNNER = { name: 'fuzzed', version: '1', agents: ['moody'], concurrency: 1 }

const CREATE = { title: 'Fuzzed', labels: ['a'] }
const IMPORT = {
  version: '1.0',
  tasks: [{ id: 'a', title: 'A', status: 'completed', createdAt: '2024-02-29T12:00:00Z' }],
}

/** Bodies in place of the examples, which the handlers of this service would not be reached with, or reached once. */
const OWN: Readonly<Partial<Record<Fuzzed['name'], object>>> = {
  createTask: CREATE,
  importTasks: IMPORT,
  signup: { email: 'fuzzed@example.org', password: 'correct horse 1', name: 'Fuzzed' },
  login: ADMIN,
  changePassword: { currentPassword: 'not it 1', newPassword: ADMIN.password },
  changeAccessKey: { key: null },
  changeUser: { disabled: false },
  changeSettings: {},
  changeWebSearch: { enabled: true, provider: 'brave', brave: { apiKey: 'fuzzed-key' } },
  createWebhook: { url: 'http://127.0.0.1:9/', events: ['task.failed'] },
  registerRunner: RUNNER,
  snoozeInboxItems: {
    items: [{ key: `result:task_${'0'.repeat(26)}`, version: '2026-01-01T12:00:00.000Z' }],
    until: new Date(Date.now() + 86_400_000).toISOString(),
  },
  createSchedule: { name: 'Fuzzed', cron: '0 4 1 1 *', task: CREATE },
}

/** A poll that waits would take the time of hundreds of other requests. */
const ALWAYS: typeof OWN = { claimTask: { waitMs: 0 } }

const taskLike = z.object({
  ...routes.createTask.body.shape,
  id: z.string(),
  status: z.string(),
  createdAt: z.string(),
})

const bodies = (
  name: Fuzzed['name'],
  route: Route,
  text: fc.Arbitrary<string>,
): fc.Arbitrary<string | undefined> => {
  const value = values(text)
  const valid = OWN[name] ?? exampleBody(route) ?? {}
  const whole = fc.constantFrom(valid, valid, valid, valid, CREATE, IMPORT)
  const odd = fc.oneof(
    { weight: 1, arbitrary: objects(route.body, value) },
    { weight: 2, arbitrary: fc.constant({}) },
  )
  const nearly = fc.tuple(whole, odd)
  const imports = fc.array(objects(taskLike, value), { maxLength: 5 })
  return fc.oneof(
    {
      weight: 9,
      arbitrary: nearly.map(([right, more]) => JSON.stringify({ ...right, ...more, ...ALWAYS[name] })),
    },
    { weight: 2, arbitrary: imports.map((tasks) => JSON.stringify({ version: '1.0', tasks })) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 1, arbitrary: fc.nat(40).map((end) => JSON.stringify(CREATE).slice(0, end)) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['idempotency-key', ['one', 'two', 'a b', '', 'x'.repeat(256)]],
  ['content-type', ['text/plain', 'application/json; charset=utf-16', 'multipart/form-data', '']],
  ['accept', ['text/plain', '*/*', 'image/png', ';;q=x', '']],
  ['origin', ['https://evil.example', 'null', '']],
  ['host', ['evil.example', '']],
  ['authorization', ['Bearer x', 'Basic', '']],
  ['cookie', ['svc_session=x', '%%%']],
]
// Most requests have none of them: some would be refused before anything else is looked at.
const headers = fc.option(
  fc
    .constantFrom(...HEADERS)
    .chain(([name, choices]) => fc.constantFrom(...choices).map((value) => ({ [name]: value }))),
  { nil: {}, freq: 2 },
)

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
const routePath = (route: Route, id: fc.Arbitrary<string>) =>
  fc
    .tuple(id, fc.constantFrom(...Array(30).fill(''), '/', '/more', '%2F', '%', '//', ';a=b'))
    .map(([text, end]) => route.path.replaceAll(/\{\w+\}/g, encoded(text)) + end)

const routeQuery = (name: string, route: Route, text: fc.Arbitrary<string>) => {
  const names = Object.keys(route.query?.shape ?? { any: 0 })
  const required = Object.entries(exampleCall(name).query)
  const pair = fc.tuple(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, text), text)
  return fc
    .oneof(
      { weight: 1, arbitrary: fc.constant(required) },
      { weight: 3, arbitrary: fc.array(pair, { maxLength: 4 }) },
    )
    .map((pairs) => pairs.map(([of, value]) => `${encoded(of)}=${encoded(value)}`).join('&'))
    .map((query) => query && `?${query}`)
}

const METHODS = ['HEAD', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** Requests for every route of the table: about half of their parts right, the others anything. */
export const requests = (known: readonly string[]): fc.Arbitrary<Fuzzed> => {
  const text = texts(known)
  return fc.constantFrom(...Object.entries<Route>(routes)).chain(([name, route]) =>
    fc
      .record({
        method: fc.oneof(
          { weight: 8, arbitrary: fc.constant(route.method) },
          { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
        ),
        path: fc
          .tuple(routePath(route, pathId(route, known, text)), routeQuery(name, route, text))
          .map((parts) => parts.join('')),
        headers: headers,
        body: bodies(name as Fuzzed['name'], route, text),
      })
      .map((asked) => ({ name: name as Fuzzed['name'], asked })),
  )
}
