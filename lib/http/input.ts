import type * as z from 'zod'
import { type FieldIssue, invalid, missing } from '../core/errors.ts'
import { issuesWithin, issueText } from '../core/issue-text.ts'
import { readJsonBody } from './body.ts'
import type { HttpEvent } from './event.ts'
import type { Input, Route } from './route.ts'
import { unknownKeys, type Warning } from './warnings.ts'

/** The list of faults must not be longer than the body. */
const MOST_ISSUES = 100

type Read<R extends Route> = { input: Input<R>; warnings: readonly Warning[] }

/** Makes the function that validates the input of one route from an event, or throws the faults. */
export const inputReader = <R extends Route>(route: R) => {
  const { params, query, headers, body } = route
  const unknownIn = { body: unknownKeys(body), query: unknownKeys(query) }
  return (event: HttpEvent): Read<R> => {
    const queryString = event.queryStringParameters ?? {}
    const path = params && decoded(event.pathParameters ?? {})
    const json = body && readJsonBody(event, route.bodyLimit)
    const issues: FieldIssue[] = []
    const input = {
      params: params && parsePart(params, path, issues),
      query: query && parsePart(query, queryString, issues),
      headers: headers && parsePart(headers, event.headers, issues),
      body: body && parsePart(body, json, issues),
    }
    if (issues.length > 0) throw invalid(issues)
    const warnings: Warning[] = []
    unknownIn.body(json, warnings)
    unknownIn.query(queryString, warnings)
    // The schemas of the route produced each part.
    return { input: input as Input<R>, warnings }
  }
}

const parsePart = (schema: z.ZodType, value: unknown, issues: FieldIssue[]): unknown => {
  const parsed = schema.safeParse(value, { error: issueText })
  if (parsed.success) return parsed.data
  const mistyped = new Set<string>()
  const faults = parsed.error.issues.flatMap(issuesWithin).slice(0, MOST_ISSUES)
  for (const { code, path, message } of faults) {
    const place = path.join('.')
    // A list in place of a text also fails the length check, which would only confuse.
    if (mistyped.has(place)) continue
    if (code === 'invalid_type') mistyped.add(place)
    issues.push({ path: place, message })
  }
  return undefined
}

const decoded = (parameters: NonNullable<HttpEvent['pathParameters']>) => {
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
