import * as z from 'zod'
import { exactText } from './shown-text.ts'

/** The most labels that a task may ask of a runner. */
export const MOST_ASKED_LABELS = 10

export const LONGEST_RUNNER_LABEL = 100

/** A label of a runner, compared exactly: upper and lower case differ. */
const RunnerLabelSchema = exactText(LONGEST_RUNNER_LABEL)

/** The labels that a task asks of the runner that takes it. */
export const AskedLabelsSchema = z.array(RunnerLabelSchema).max(MOST_ASKED_LABELS)
