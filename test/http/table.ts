import * as z from 'zod'
import { invalid } from '../../lib/core/errors.ts'
import { defineRoutes, type Handlers, Reply } from '../../lib/http/route.ts'

const WordSchema = z.object({ word: z.string() })

/** A small service with one route of each kind. */
export const wordRoutes = defineRoutes({
  health: {
    method: 'GET',
    path: '/api/words/health',
    summary: 'Open to all',
    access: 'public',
    response: WordSchema,
  },
  getWord: {
    method: 'GET',
    path: '/api/words/{word}',
    summary: 'The word that was asked for',
    access: 'session',
    params: WordSchema,
    query: z.object({ limit: z.string().regex(/^\d+$/).transform(Number).optional() }),
    response: WordSchema.extend({ limit: z.number().optional() }),
  },
  addWord: {
    method: 'POST',
    path: '/api/words',
    summary: 'The body again',
    access: 'session',
    body: z.object({ word: z.string(), tags: z.array(z.string()).default([]) }),
    status: 201,
    response: WordSchema.extend({ tags: z.array(z.string()) }),
  },
  failWord: {
    method: 'POST',
    path: '/api/words/{word}/fail',
    summary: 'Fails as the word says',
    access: 'session',
    params: WordSchema,
    response: WordSchema,
  },
  exportWords: {
    method: 'GET',
    path: '/api/words/export',
    summary: 'A body in pieces',
    access: 'session',
    query: z.object({ cut: z.string().optional() }),
    response: z.array(z.string()),
  },
  endlessWords: {
    method: 'GET',
    path: '/api/words/endless',
    summary: 'A body that goes on until its reader leaves',
    access: 'session',
    response: z.array(z.string()),
  },
})

const end = Promise.withResolvers<void>()
/** How many pieces of the export were asked for, and the end of the endless body. */
export const pieces = { pulled: 0, ended: end.promise }

export const wordHandlers: Handlers<typeof wordRoutes> = {
  health: () => ({ word: 'well' }),
  getWord: ({ params, query }) => ({
    word: params.word,
    ...(query.limit === undefined ? {} : { limit: query.limit }),
  }),
  addWord: ({ body }) => body,
  failWord: ({ params }) => {
    if (params.word === 'problem') throw invalid([{ path: 'word', message: 'is a problem' }])
    throw new Error('the password is hunter2')
  },
  exportWords: ({ query }) => new Reply({ raw: wordsInPieces(query.cut !== undefined) }),
  endlessWords: () => new Reply({ raw: wordsWithoutEnd() }),
}

async function* wordsInPieces(cut: boolean) {
  pieces.pulled += 1
  yield '["one"'
  if (cut) throw new Error('the storage went away')
  pieces.pulled += 1
  yield ',"two"]'
}

async function* wordsWithoutEnd() {
  try {
    for (;;) yield 'x'.repeat(65_536)
  } finally {
    end.resolve()
  }
}
