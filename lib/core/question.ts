import * as z from 'zod'

const MOST_TEXT = 2_000
const MOST_OPTIONS = 6
const MOST_OPTION = 200

/** The text of a question. */
export const QuestionTextSchema = z.string().trim().min(1).max(MOST_TEXT)
/** Answers to choose from. */
export const QuestionOptionsSchema = z.array(z.string().trim().min(1).max(MOST_OPTION)).max(MOST_OPTIONS)

/** What an agent asks a person at the end of its turn. A reply to the task answers it. */
export const QuestionSchema = z
  .object({
    text: QuestionTextSchema,
    options: QuestionOptionsSchema.optional().describe('Suggested answers. Any other answer is possible too'),
  })
  .meta({
    id: 'Question',
    examples: [{ text: 'Which database should the service use?', options: ['PostgreSQL', 'SQLite'] }],
  })
export type Question = z.output<typeof QuestionSchema>

/** The question of a result; undefined without one, and for what is no question. */
export const questionIn = (result: { readonly [field: string]: unknown } | undefined): Question | undefined =>
  QuestionSchema.safeParse(result?.question).data

/** A question with its options as a text of several lines. */
export const questionText = ({ text, options = [] }: Question): string =>
  [text, ...options.map((option) => `- ${option}`)].join('\n')
