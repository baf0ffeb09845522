import * as z from 'zod'
import { pageAnswer, pageQuery, queryInt } from '../core/page.ts'
import { freeText, nameText } from '../core/shown-text.ts'
import { defineRoutes } from '../http/route.ts'
import { ExperienceSchema, ExperienceTypeSchema, FoundExperienceSchema } from './schema.ts'

const MOST_SOLUTION = 50_000
const fits = (value: unknown) => (JSON.stringify(value) ?? '').length <= MOST_SOLUTION

export const CreateExperienceSchema = z.object({
  type: ExperienceTypeSchema,
  intent: nameText(2_000),
  solution: z.union([
    freeText(MOST_SOLUTION),
    z.record(z.string(), z.unknown()).refine(fits, `must have at most ${MOST_SOLUTION} characters as JSON`),
  ]),
  successScore: z.number().min(0).max(1).default(0.5),
  tags: z.array(nameText(100)).max(50).default([]),
  sourceConversationId: nameText(200).optional(),
})

const params = z.object({ id: z.string().min(1).max(200) })
export const ListExperiencesQuery = z.object({ ...pageQuery, type: ExperienceTypeSchema.optional() })
export const SearchExperiencesQuery = z.object({
  q: freeText(2_000),
  type: ExperienceTypeSchema.optional(),
  limit: queryInt(1, 200).default(10),
})

export const experienceRoutes = defineRoutes({
  createExperience: {
    method: 'POST',
    path: '/api/memory/experiences',
    summary: 'Record what was learned from a piece of work',
    access: 'session',
    body: CreateExperienceSchema,
    status: 201,
    response: z.object({ experience: ExperienceSchema }),
  },
  listExperiences: {
    method: 'GET',
    path: '/api/memory/experiences',
    summary: 'List experiences, newest first',
    access: 'session',
    query: ListExperiencesQuery,
    response: z.object({ experiences: z.array(ExperienceSchema), ...pageAnswer }),
  },
  searchExperiences: {
    method: 'GET',
    path: '/api/memory/experiences/search',
    summary: 'Find experiences that have to do with a text, the closest first',
    access: 'session',
    query: SearchExperiencesQuery,
    response: z.object({
      query: z.string(),
      experiences: z.array(FoundExperienceSchema),
      count: z.number(),
    }),
  },
  getExperience: {
    method: 'GET',
    path: '/api/memory/experiences/{id}',
    summary: 'Read an experience',
    access: 'session',
    params,
    response: z.object({ experience: ExperienceSchema }),
  },
  removeExperience: {
    method: 'DELETE',
    path: '/api/memory/experiences/{id}',
    summary: 'Forget an experience',
    access: 'session',
    params,
    response: z.object({ message: z.string() }),
  },
  useExperience: {
    method: 'POST',
    path: '/api/memory/experiences/{id}/use',
    summary: 'Note that an experience was gone by',
    access: 'session',
    params,
    response: z.object({ message: z.string(), experience: ExperienceSchema }),
  },
})
