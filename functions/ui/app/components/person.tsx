import { useUserName } from '../data/people.ts'

/** A user by name where it is known; the id on hover. */
export const Person = ({ id }: { id: string }) => <span title={id}>{useUserName()(id)}</span>
