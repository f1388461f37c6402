/** Whether an error is one for users: one sentence, not what the language says of a failing expression. */
export function isSentence(error: unknown): boolean {
  if (!(error instanceof Error) || Object.getPrototypeOf(error) !== Error.prototype) return false;
  const language =
    /undefined|is not a function|not iterable|\[object|Invalid typed array|out of memory|Cannot read prop/;
  return /^[^\n\r]{10,600}$/.test(error.message) && !language.test(error.message);
}
