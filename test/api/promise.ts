import * as z from 'zod'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { withWarnings } from '../../lib/http/warnings.ts'

/** The schema with every object closed that is not open by its own word. */
const closed = (schema: z.core.$ZodType): z.ZodType => {
  const { def } = schema._zod as unknown as z.core.$ZodTypes['_zod']
  switch (def.type) {
    case 'object': {
      const shape = Object.fromEntries(Object.entries(def.shape).map(([key, value]) => [key, closed(value)]))
      return def.catchall?._zod.def.type === 'unknown' ? z.looseObject(shape) : z.strictObject(shape)
    }
    case 'array':
      return z.array(closed(def.element))
    case 'record':
      return z.record(def.keyType as z.ZodString, closed(def.valueType))
    case 'union':
      return z.union(def.options.map(closed))
    case 'optional':
      return closed(def.innerType).optional()
    case 'nullable':
      return closed(def.innerType).nullable()
    default:
      return schema as z.ZodType
  }
}

const promises = Object.entries<Route>(routes).map(([name, route]) => ({
  name,
  route,
  schema: closed(withWarnings(route.response)),
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  isPlain: !route.path.includes('{'),
}))

const promiseAt = (method: string, path: string) => {
  const at = promises.filter(({ route, pattern }) => route.method === method && pattern.test(path))
  return at.find(({ isPlain }) => isPlain) ?? at[0]
}

/**
 * What an answer has that the schema of its route does not name, or lacks of it; undefined for one that keeps the promise
 * of the description, and for what the description says nothing of: errors, texts, other addresses.
 */
export const brokenPromise = (
  method: string,
  url: string,
  { status, body }: { status: number; body: unknown },
): string | undefined => {
  const promise = promiseAt(method, url.replace(/^https?:\/\/[^/]+/, '').replace(/\?.*/, ''))
  if (!promise || status >= 300 || typeof body !== 'object' || body === null) return undefined
  const issues = [promise.route.response, promise.schema].flatMap(
    (schema) => schema.safeParse(body).error?.issues ?? [],
  )
  if (issues.length === 0) return undefined
  const told = issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`)
  return `${promise.name} answered what its description does not promise: ${told.join('; ')}`
}

/** As `fetch`, and fails for an answer in JSON that is not as its route promises. */
export const promisedFetch: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init)
  const isJson = answer.headers.get('content-type')?.includes('json')
  if (!answer.ok || !isJson) return answer
  const text = await answer.text()
  const broken = brokenPromise(init?.method ?? 'GET', String(input), {
    status: answer.status,
    body: JSON.parse(text),
  })
  if (broken) throw new Error(broken)
  return new Response(text, answer)
}
