import * as z from 'zod'
import type { Route } from '../../lib/http/route.ts'

/** Values of all kinds. */
export const values: readonly unknown[] = [
  undefined,
  null,
  5,
  -1,
  1.5,
  '',
  'x',
  'x'.repeat(200_000),
  [],
  [[]],
  {},
  { a: 1 },
  true,
]

/** Bodies that have one and the same value in each field that the route knows. */
export const bodiesFor = ({ body }: Route) => {
  const names = Object.keys(body instanceof z.ZodObject ? body.shape : {})
  return values.map((value) => Object.fromEntries(names.map((name) => [name, value])))
}
