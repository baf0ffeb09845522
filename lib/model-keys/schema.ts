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
      .meta({ description: 'Environment variable of the key', examples: ['ANTHROPIC_API_KEY'] }),
    source: z
      .enum(['environment', 'stored', 'none'])
      .describe('Source of the key; the environment takes precedence over a stored key'),
    masked: z.string().optional().describe('Masked stored key; absent if none is stored'),
    unreadable: z
      .boolean()
      .describe(
        'Whether the stored key cannot be decrypted because the encryption key is gone; if so, set it again',
      ),
  })
  .meta({ id: 'ModelKey' })
export type ModelKey = z.output<typeof ModelKeySchema>

export const KeyCheckSchema = z.object({
  accepted: z.boolean(),
  message: z.string().describe('Response of the provider, without secrets'),
  latencyMs: z.number().optional(),
})
