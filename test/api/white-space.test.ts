import { describe, expect, it } from '@jest/globals'
import type * as z from 'zod'
import { routes } from '../../lib/api/routes.ts'
import type { Route } from '../../lib/http/route.ts'

type Leaf = { at: string; schema: z.ZodType }

/** The fields of a schema that may be a text, by their place. */
const schemaLeaves = (at: string, schema: z.core.$ZodType): Leaf[] => {
  const { def } = schema._zod as unknown as z.core.$ZodTypes['_zod']
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([key, value]) => schemaLeaves(`${at}.${key}`, value))
    case 'array':
      return schemaLeaves(at, def.element)
    case 'union':
      return def.options.flatMap((option) => schemaLeaves(at, option))
    case 'optional':
    case 'nullable':
    case 'default':
      return schemaLeaves(at, def.innerType)
    default:
      return [{ at, schema: schema as z.ZodType }]
  }
}

const fields = Object.entries<Route>(routes).flatMap(([name, { params, query, body }]) =>
  Object.values({ params, query, body }).flatMap((part) => (part ? schemaLeaves(name, part) : [])),
)

/** What is compared with something stored, and itself not kept: people copy it with white space. */
const COMPARED = ['signup.inviteCode', 'login.email', 'resetPassword.email', 'resetPassword.code']
const around = [' text', 'text ', '\ttext\n', '\u00a0text\u3000', '\ufefftext', 'text\u2028']

describe('white space around a text', () => {
  it('is kept or refused by every field of every route, never cut', () => {
    const cut = fields.flatMap(({ at, schema }) =>
      around.some((text) => {
        const { success, data } = schema.safeParse(text)
        return success && typeof data !== 'object' && data !== text
      })
        ? [at]
        : [],
    )
    expect([...new Set(cut)].toSorted()).toEqual(COMPARED.toSorted())
  })

  const refusing = [
    ['createTask', ['title', 'labels', 'assignedAgent']],
    ['createExperience', ['intent', 'tags', 'sourceConversationId']],
    ['createMemorySession', ['name', 'conversationId']],
    ['createToken', ['name']],
    ['signup', ['name', 'email']],
  ] as const
  it.each(refusing)('is refused by what %s calls things: %j', (route, names) => {
    for (const name of names) {
      const [field] = fields.filter(({ at }) => at === `${route}.${name}`)
      for (const text of around) expect([name, field?.schema.safeParse(text).success]).toEqual([name, false])
    }
  })

  const keeping = [
    ['createTask', ['description', 'prompt', 'sourceId', 'repository']],
    ['createExperience', ['solution']],
    ['searchMemory', ['query']],
    ['searchExperiences', ['q']],
    ['warmMemory', ['query']],
    ['filterTasks', ['q']],
  ] as const
  it.each(keeping)('is kept in the texts of %s: %j', (route, names) => {
    for (const name of names) {
      const [field] = fields.filter(({ at }) => at === `${route}.${name}`)
      for (const text of around) expect([name, field?.schema.safeParse(text).data]).toEqual([name, text])
    }
  })
})
