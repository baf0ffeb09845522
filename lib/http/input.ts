import * as z from 'zod'
import { type FieldIssue, invalid, missing } from '../core/errors.ts'
import { issueText } from '../core/issue-text.ts'
import { readJsonBody } from './body.ts'
import type { HttpEvent } from './event.ts'
import type { Input, Route } from './route.ts'

/** What is wrong with a body must not outgrow the body. */
const MOST_ISSUES = 100

/** Builds the reader that turns an event into the validated input of one route, or throws what is wrong with it. */
export const inputReader = <R extends Route>(route: R) => {
  let schemas: Schemas | undefined
  return (event: HttpEvent): Input<R> => {
    // With the first request: a function in the cloud may be started for a single one.
    schemas ??= compiled(route)
    const { params, query, headers, body } = schemas
    const issues: FieldIssue[] = []
    const input = {
      params: params && parsePart(params, decoded(event.pathParameters), issues),
      query: query && parsePart(query, event.queryStringParameters ?? {}, issues),
      headers: headers && parsePart(headers, event.headers, issues),
      body: body && parsePart(body, readJsonBody(event, route.bodyLimit), issues),
    }
    if (issues.length > 0) throw invalid(issues)
    // The schemas of the route produced each part.
    return input as Input<R>
  }
}

type Schemas = { [Part in 'params' | 'query' | 'headers' | 'body']: z.ZodType | undefined }

/** Code of their own for the schemas that zod can compile; what that code refuses, zod reads once more to say why. */
const compiled = ({ params, query, headers, body }: Route): Schemas => ({
  params: params && z.compile(params),
  query: query && z.compile(query),
  headers: headers && z.compile(headers),
  body: body && z.compile(body),
})

const parsePart = (schema: z.ZodType, value: unknown, issues: FieldIssue[]): unknown => {
  const parsed = schema.safeParse(value, { error: issueText })
  if (parsed.success) return parsed.data
  const mistyped = new Set<string>()
  for (const { code, path, message } of parsed.error.issues.slice(0, MOST_ISSUES)) {
    const place = path.join('.')
    // A list where a text belongs has a length too, of which there is nothing to say.
    if (mistyped.has(place)) continue
    if (code === 'invalid_type') mistyped.add(place)
    issues.push({ path: place, message })
  }
  return undefined
}

/** Path parameters as they were meant; the router hands them over still percent-encoded. */
const decoded = (parameters: HttpEvent['pathParameters'] = {}) => {
  const values: Record<string, string> = {}
  for (const [name, value = ''] of Object.entries(parameters)) values[name] = decode(value)
  return values
}

const decode = (text: string) => {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    throw missing('Resource')
  }
}
