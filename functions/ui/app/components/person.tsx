import { useNameOf } from '../data/people.ts'

/** Somebody by his name where it is known; the id on hover. */
export const Person = ({ id }: { id: string }) => <span title={id}>{useNameOf()(id)}</span>
