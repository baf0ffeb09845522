import { describe, expect, it } from '@jest/globals'
import { document } from '../../lib/api/document.ts'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'
import { exampleCall } from './example-call.ts'

type Answers = Record<string, { content: Record<string, { example?: unknown }> }>
type Operation = { description?: string; responses: Answers }

const paths = document.paths as unknown as Record<string, Record<string, Operation>>
const each = Object.entries<Route>(routes)
const openapiOperation = ({ path, method }: Route) => paths[path]?.[method.toLowerCase()] as Operation

describe('the examples of each operation', () => {
  it.each(each)('of %s are what its schemas accept', (name, route) => {
    const { params, query, body } = exampleCall(name)
    expect(route.params?.safeParse(params).error).toBeUndefined()
    expect(route.query?.safeParse(query).error).toBeUndefined()
    expect((route.body ?? route.rawBody)?.safeParse(JSON.parse(body ?? 'null')).error).toBeUndefined()
    for (const [status, { content }] of Object.entries(openapiOperation(route).responses)) {
      const answer = content['application/json']
      if (status.startsWith('2') && answer)
        expect(route.response.safeParse(answer.example).error).toBeUndefined()
    }
  })
})

describe('the description of each operation', () => {
  const callers: Partial<Record<Route['access'], RegExp>> = {
    admin: /^Admins only\./,
    gateway: /`gateway`/,
    webhooks: /`webhooks`/,
  }
  it.each(each)('of %s says who may call it, where a session does not suffice', (_name, route) => {
    expect(openapiOperation(route).description ?? '').toMatch(callers[route.access] ?? '')
  })
})
