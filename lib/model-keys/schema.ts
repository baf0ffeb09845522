import * as z from 'zod'
import { isMaskedKey } from '../core/masked-key.ts'

export const ApiKeySchema = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII characters')
  .refine((key) => !isMaskedKey(key), 'is masked. Send the full key')
  .meta({ examples: ['sk-ant-example'] })

export const ModelKeySchema = z
  .object({
    provider: z.string().meta({ examples: ['anthropic'] }),
    name: z.string().meta({ examples: ['Anthropic'] }),
    variable: z
      .string()
      .meta({ description: 'The environment variable of its key', examples: ['ANTHROPIC_API_KEY'] }),
    source: z
      .enum(['environment', 'stored', 'none'])
      .describe('Where the key comes from; one in the environment wins over a stored one'),
    masked: z
      .string()
      .optional()
      .describe('The first characters of the stored key, and asterisks; absent where none is stored'),
    unreadable: z
      .boolean()
      .describe('Whether the stored key cannot be opened, as the key that sealed it is gone: store it again'),
  })
  .meta({ id: 'ModelKey' })
export type ModelKey = z.output<typeof ModelKeySchema>

export const KeyCheckSchema = z.object({
  accepted: z.boolean(),
  message: z.string().describe('What the provider answered, without secrets'),
  latencyMs: z.number().optional(),
})
