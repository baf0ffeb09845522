import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Terms } from './terms.ts'

const VERBS = ['SET', 'ADD', 'REMOVE'] as const

/** Collects what becomes of attributes, as an update expression. */
export const createChange = (terms: Terms) => {
  const parts: Record<(typeof VERBS)[number], string[]> = { SET: [], ADD: [], REMOVE: [] }
  return {
    /** Sets an attribute, or removes it when there is no value. */
    put: (field: string, value: AttributeValue | undefined): void => {
      const name = terms.name(field)
      if (value === undefined) parts.REMOVE.push(name)
      else parts.SET.push(`${name} = ${terms.value(value)}`)
    },
    add: (field: string, step: number): void => {
      parts.ADD.push(`${terms.name(field)} ${terms.value({ N: String(step) })}`)
    },
    text: (): string =>
      VERBS.filter((verb) => parts[verb].length > 0)
        .map((verb) => `${verb} ${parts[verb].join(', ')}`)
        .join(' '),
  }
}

export type Change = ReturnType<typeof createChange>
