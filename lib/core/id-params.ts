import * as z from 'zod'
import { boundedText } from './shown-text.ts'

export const idParams = (prefix: string) =>
  z.object({ id: boundedText(200).meta({ examples: [`${prefix}_01KF0Q8Y3V5W7X9Z`] }) })
