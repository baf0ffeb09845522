import { definedFields } from '../../../core/defined-fields.ts'
import { countsIn, type Fields, fieldsIn, isFields, listIn, textIn } from '../wire-fields.ts'
import type { WireReader } from './reader.ts'

const COUNTS = [
  'promptTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'cachedContentTokenCount',
  'totalTokenCount',
] as const

/** Gemini's stream (https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse). */
export const generateContent: WireReader = (limits) => {
  let isEnded = false
  let calls = 0

  const callIn = (given: Fields): object => {
    const id = limits.identifier(given.id)
    limits.call(calls, id)
    calls += 1
    const args = fieldsIn(given.args)
    limits.text(JSON.stringify(args))
    return definedFields({ id, name: limits.identifier(given.name) ?? '', args })
  }

  const partIn = (given: Fields): object[] => {
    const signature = { thoughtSignature: limits.text(given.thoughtSignature) }
    if (isFields(given.functionCall))
      return [definedFields({ functionCall: callIn(given.functionCall), ...signature })]
    const text = limits.text(given.text)
    const isThought = given.thought === true || undefined
    return text === undefined ? [] : [definedFields({ text, thought: isThought, ...signature })]
  }

  const candidateIn = ({ content, finishReason, finishMessage }: Fields): object => {
    const reason = textIn(finishReason)
    isEnded ||= reason !== undefined
    const parts = listIn(fieldsIn(content).parts).flatMap(partIn)
    return definedFields({
      content: parts.length === 0 ? undefined : { role: 'model', parts },
      finishReason: reason,
      finishMessage: limits.text(finishMessage),
    })
  }

  return {
    read: ({ candidates, usageMetadata, promptFeedback }) => {
      const blockReason = textIn(fieldsIn(promptFeedback).blockReason)
      isEnded ||= blockReason !== undefined
      const chunk = definedFields({
        candidates: Array.isArray(candidates) ? listIn(candidates).slice(0, 1).map(candidateIn) : undefined,
        usageMetadata: isFields(usageMetadata) ? countsIn(usageMetadata, COUNTS) : undefined,
        promptFeedback: blockReason === undefined ? undefined : { blockReason },
      })
      return Object.keys(chunk).length === 0 ? [] : [chunk]
    },
    hasEnded: () => isEnded,
  }
}
