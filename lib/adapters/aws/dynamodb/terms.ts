import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Item } from './value.ts'

/** Names and values of an expression: its text holds placeholders only, so that no name is reserved and no value is code. */
export const createTerms = () => {
  const names = new Map<string, string>()
  const values: Item = {}
  return {
    name: (field: string): string => {
      const known = names.get(field)
      if (known !== undefined) return known
      const placeholder = `#n${names.size}`
      names.set(field, placeholder)
      return placeholder
    },
    value: (value: AttributeValue): string => {
      const placeholder = `:v${Object.keys(values).length}`
      values[placeholder] = value
      return placeholder
    },
    /** What a request carries beside its expressions; DynamoDB refuses empty lists of either. */
    attributes: () => ({
      ...(names.size > 0
        ? { ExpressionAttributeNames: Object.fromEntries([...names].map(([field, name]) => [name, field])) }
        : {}),
      ...(Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
    }),
  }
}
export type Terms = ReturnType<typeof createTerms>
