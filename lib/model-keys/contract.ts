import * as z from 'zod'
import { nameText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { ApiKeySchema, KeyCheckSchema, ModelKeySchema } from './schema.ts'

const params = z.object({ provider: nameText(50).meta({ examples: ['anthropic'] }) })

/** They run where models are called: the keys of the environment are there. */
export const modelKeyRoutes = defineRoutes({
  listModelKeys: {
    method: 'GET',
    path: '/api/model-keys',
    summary: 'List model providers and where their keys come from',
    about: 'Keys are masked. No provider is called.',
    access: 'admin',
    response: z.object({ keys: z.array(ModelKeySchema) }),
  },
  setModelKey: {
    method: 'PUT',
    path: '/api/model-keys/{provider}',
    summary: 'Store the key of a model provider; it is used immediately',
    about:
      'It is encrypted and never shown again. A key in the environment of the service cannot be replaced.',
    access: 'admin',
    params,
    body: z.object({ apiKey: ApiKeySchema }).meta({ id: 'ModelKeyChange' }),
    response: z.object({ message: z.string(), key: ModelKeySchema }),
  },
  removeModelKey: {
    method: 'DELETE',
    path: '/api/model-keys/{provider}',
    summary: 'Remove the stored key of a model provider',
    about: 'Answers 200 even if none is stored.',
    access: 'admin',
    params,
    response: z.object({ message: z.string(), key: ModelKeySchema }),
  },
  checkModelKey: {
    method: 'POST',
    path: '/api/model-keys/{provider}/check',
    summary: 'Check whether a model provider accepts its key, or a key that is not stored yet',
    about: 'Costs no tokens, and takes 5 seconds at most.',
    access: 'admin',
    params,
    body: z
      .object({ apiKey: ApiKeySchema.optional().describe('Absent: the key that is in use') })
      .meta({ id: 'ModelKeyCheck' }),
    response: KeyCheckSchema,
  },
})
