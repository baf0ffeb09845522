import * as z from 'zod'

/**
 * Whether a value has the outline of a schema: its kind and, of an object, its required properties and their kinds. It
 * tells the answer of the service from that of another server; a service of another version passes.
 */
export const hasOutline = (schema: z.core.$ZodType, value: unknown): boolean => {
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => hasOutline(option, value))
  if (!(schema instanceof z.ZodObject)) return isOfKind(schema, value)
  return (
    isOfKind(schema, value) &&
    Object.entries(schema.shape).every(([name, part]) => {
      const own: unknown = Reflect.get(value as object, name)
      return own === undefined ? z.safeParse(part, undefined).success : isOfKind(part, own)
    })
  )
}

/** The kind of a value is checked where code reads on in it; a union, a nullable value and others pass. */
const isOfKind = (schema: z.core.$ZodType, value: unknown): boolean => {
  if (schema instanceof z.ZodArray) return Array.isArray(value)
  if (schema instanceof z.ZodObject)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (schema instanceof z.ZodString) return typeof value === 'string'
  return !(schema instanceof z.ZodNumber) || typeof value === 'number'
}
