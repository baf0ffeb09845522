import { startOfLine } from './text-weight.ts'

/** The signs that stand for what varies in the messages of a group of failures. */
const VARYING = /<(?:n|id|hex|path|url|text)>/g

/** `Timed out after <n>ms` → `Timed out after …ms`, in one line. */
export const groupTitle = (message: string): string => startOfLine(message.replace(VARYING, '…'))
