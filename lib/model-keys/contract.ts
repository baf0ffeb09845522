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
    summary: 'List model keys',
    about:
      'Returns the model providers and the source of each key. Keys are masked, and no provider is called.',
    access: 'admin',
    response: z.object({ keys: z.array(ModelKeySchema) }),
  },
  setModelKey: {
    method: 'PUT',
    path: '/api/model-keys/{provider}',
    summary: 'Set a model key',
    about:
      'Stores the API key of a model provider, encrypted, and uses it immediately. The key is never returned. A key from the environment of the service cannot be replaced.',
    access: 'admin',
    params,
    body: z.object({ apiKey: ApiKeySchema }).meta({ id: 'ModelKeyChange' }),
    response: z.object({ message: z.string(), key: ModelKeySchema }),
  },
  removeModelKey: {
    method: 'DELETE',
    path: '/api/model-keys/{provider}',
    summary: 'Delete a model key',
    about: 'Deletes the stored key of a model provider. Returns 200 even if none is stored.',
    access: 'admin',
    params,
    response: z.object({ message: z.string(), key: ModelKeySchema }),
  },
  checkModelKey: {
    method: 'POST',
    path: '/api/model-keys/{provider}/check',
    summary: 'Check a model key',
    about: 'Checks whether the provider accepts the key. Uses no tokens and takes at most 5 seconds.',
    access: 'admin',
    params,
    body: z
      .object({
        apiKey: ApiKeySchema.optional().describe(
          'Key to check before storing it; the current key by default',
        ),
      })
      .meta({ id: 'ModelKeyCheck' }),
    response: KeyCheckSchema,
  },
})
