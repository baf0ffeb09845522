import * as z from 'zod'
import type { CreateDocumentOptions } from 'zod-openapi'

type Override = NonNullable<CreateDocumentOptions['override']>

/** Turns what zod makes of a schema into what a reader of the document, person or generator, expects. */
export const plain: Override = (context) => {
  const { jsonSchema } = context
  // The service drops keys that it does not know and may answer more than it promised: neither side is closed.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  // The format says it; the pattern would be 300 characters of leap years.
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'date') delete jsonSchema.pattern
  // Every key of a JSON object is a string.
  if (jsonSchema.type === 'object') delete jsonSchema.propertyNames
  numberInText(context)
}

/** A number in a query string arrives as text, and its reader turns it into a number: it is documented as one. */
const numberInText: Override = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod
  if (io !== 'input' || def.type !== 'pipe' || def.out._zod.def.type !== 'number') return
  const { minimum, maximum } = z.toJSONSchema(def.out)
  delete jsonSchema.pattern
  Object.assign(jsonSchema, { type: 'integer', minimum, maximum })
}
