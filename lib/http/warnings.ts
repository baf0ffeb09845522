import * as z from 'zod'
import { shortenedText } from '../core/cut-text.ts'

const MESSAGE = 'is unknown and was ignored'

const WarningSchema = z
  .object({
    path: z.string().meta({ description: 'Path of the field', examples: ['labels.0'] }),
    message: z.string().meta({ examples: [MESSAGE] }),
  })
  .meta({ id: 'Warning' })
export type Warning = z.output<typeof WarningSchema>

/** The list of warnings must not be longer than the answer. */
const MOST_WARNINGS = 20
const LONGEST_PATH = 200

/** The keys that a schema reads, by their path. An open schema reads any key. */
type Shape = {
  isOpen: boolean
  keys: ReadonlyMap<string, Shape>
  items?: Shape
  values?: Shape
}

const NO_KEYS: ReadonlyMap<string, Shape> = new Map()
const SCALAR: Shape = { isOpen: false, keys: NO_KEYS }
const OPEN: Shape = { isOpen: true, keys: NO_KEYS }

/** Makes the function that names the keys which the schema drops, at every depth, up to `MOST_WARNINGS`. */
export const unknownKeys = (schema: z.ZodType | undefined) => {
  const shape = schema === undefined ? SCALAR : toShape(schema)
  return (value: unknown, warnings: Warning[]): void => compare(shape, value, '', warnings)
}

const compare = (shape: Shape, value: unknown, path: string, warnings: Warning[]): void => {
  if (shape.isOpen || typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    if (warnings.length >= MOST_WARNINGS) return
    const place = path === '' ? key : `${path}.${key}`
    const within = Array.isArray(value) ? shape.items : (shape.keys.get(key) ?? shape.values)
    if (within !== undefined) compare(within, Reflect.get(value, key), place, warnings)
    else if (!Array.isArray(value)) warnings.push({ path: cut(place), message: MESSAGE })
  }
}

const cut = (path: string) => shortenedText(path, LONGEST_PATH)

const toShape = (schema: z.core.$ZodType): Shape => {
  // Every schema of zod is one of these types; custom schemas have another type.
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return {
        isOpen: def.catchall !== undefined && def.catchall._zod.def.type !== 'never',
        keys: new Map(Object.entries(def.shape).map(([key, part]) => [key, toShape(part)])),
      }
    case 'array':
      return { ...SCALAR, items: toShape(def.element) }
    case 'record':
      return { ...SCALAR, values: toShape(def.valueType) }
    case 'union':
      return def.options.map(toShape).reduce(either)
    case 'intersection':
      return either(toShape(def.left), toShape(def.right))
    case 'pipe':
      return toShape(def.in)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return toShape(def.innerType)
    case 'unknown':
    case 'any':
    case 'custom':
    case 'transform':
    case 'lazy':
      return OPEN
    default:
      return SCALAR
  }
}

const either = (a: Shape, b: Shape): Shape => {
  const keys = new Map(a.keys)
  for (const [key, shape] of b.keys) keys.set(key, both(keys.get(key), shape) ?? shape)
  const items = both(a.items, b.items)
  const values = both(a.values, b.values)
  return { isOpen: a.isOpen || b.isOpen, keys, ...(items ? { items } : {}), ...(values ? { values } : {}) }
}

const both = (a: Shape | undefined, b: Shape | undefined) => (a && b ? either(a, b) : (a ?? b))

const Warnings = z
  .array(WarningSchema)
  .max(MOST_WARNINGS)
  .optional()
  .describe('Unknown request fields that were ignored')

/** The schema of an answer with its optional warnings, if the answer is an object. */
export const withWarnings = (response: z.core.$ZodType): z.core.$ZodType => {
  if (response instanceof z.ZodObject) return response.safeExtend({ warnings: Warnings })
  return response instanceof z.ZodUnion ? z.union(response.options.map(withWarnings)) : response
}
