import { describe, expect, test } from 'vitest';
import { errorOf } from './support.ts';

const names =
  'one of delivery_failed, provider, event_type, account_slug, app_key, consumer, attempts, response_code, payload, header, exists, matches';
const ofText = '==, !=, in, .startswith, .endswith or .contains';
const methods = 'startswith, endswith or contains';
const ofNumber = '==, !=, <, <=, >, >= or in';
const ofAny = '==, !=, <, <=, >, >=, in, .startswith, .endswith, .contains, and, or';
const anyLiteral = 'a text in quotes, a number, true or false';
const number = 'a number such as 503, -7 or 12.5';
const whole = 'a whole number from -9007199254740991 to 9007199254740991';
const length = 'at most 1000 characters';
const levels = 'at most 50 levels of not and parentheses';
const escapes = String.raw`one of the escapes \\, \', \", \n and \t`;

/** The condition itself, shortened if it is long: one of them has 1 MiB. */
const titleOf = (text: string) =>
  text.length <= 60 ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, 30))}… of ${text.length} characters`;

describe('refused, with the position and what was expected there:', () => {
  const refused = [
    ['', '1:1', 'a condition', 'the end'],
    ['  \n ', '2:2', 'a condition', 'the end'],
    ['and', '1:1', 'a condition', 'and'],
    ['in ["a"]', '1:1', 'a condition', 'in'],
    ['== 5', '1:1', 'a condition', '=='],
    ['()', '1:2', 'a condition', ')'],
    [')', '1:1', 'a condition', ')'],
    ['not', '1:4', 'a condition', 'the end'],
    ['delivery_failed and', '1:20', 'a condition', 'the end'],
    ['delivery_failed and or true', '1:21', 'a condition', 'or'],
    ['# all', '1:1', 'a condition', '#'],
    // Kinds.
    ['provider == 5', '1:13', 'a text in quotes', '5'],
    ['event_type     == 5', '1:19', 'a text in quotes', '5'],
    ['provider == generic', '1:13', 'a text in quotes', 'generic'],
    ['provider == attempts', '1:13', 'a text in quotes', 'attempts'],
    ['provider != true', '1:13', 'a text in quotes', 'true'],
    ['event_type == null', '1:15', 'a text in quotes', 'null'],
    ['attempts == "5"', '1:13', 'a whole number', '"5"'],
    ['5 == provider', '1:6', 'a whole number', 'provider'],
    ['delivery_failed == 1', '1:20', 'true or false', '1'],
    ['delivery_failed == yes', '1:20', 'true or false', 'yes'],
    ['delivery_failed == (true)', '1:20', 'true or false', '('],
    // Values that are not conditions.
    ['provider', '1:9', ofText, 'the end'],
    ['"text"', '1:7', ofText, 'the end'],
    ['provider and true', '1:10', ofText, 'and'],
    ['(provider)', '1:10', ofText, ')'],
    ['provider not in ["a"]', '1:10', ofText, 'not'],
    ['provider = "a"', '1:10', ofText, '='],
    ['attempts', '1:9', ofNumber, 'the end'],
    ['attempts.startswith("1")', '1:9', ofNumber, '.'],
    ['5', '1:2', ofNumber, 'the end'],
    ['delivery_failed.contains("x")', '1:16', '==, !=, in, and, or or the end', '.'],
    ['(true.contains("x"))', '1:6', '==, !=, in, and, or or )', '.'],
    ['delivery_failed = true', '1:17', '==, !=, in, and, or or the end', '='],
    ['delivery_failed && true', '1:17', '==, !=, in, and, or or the end', '&'],
    ['delivery_failed # why', '1:17', '==, !=, in, and, or or the end', '#'],
    ['true)', '1:5', '==, !=, in, and, or or the end', ')'],
    // Names.
    ['a == b', '1:1', names, 'a'],
    ['DELIVERY_FAILED', '1:1', names, 'DELIVERY_FAILED'],
    ['constructor == "a"', '1:1', names, 'constructor'],
    ['__proto__', '1:1', names, '__proto__'],
    ['trueish', '1:1', names, 'trueish'],
    ['notdelivery_failed', '1:1', names, 'notdelivery_failed'],
    ['événement == "a"', '1:1', 'a condition', 'é'],
    ['event_type.startsWith("a")', '1:12', methods, 'startsWith'],
    ['event_type.toString("a")', '1:12', methods, 'toString'],
    ['event_type.', '1:12', methods, 'the end'],
    ['event_type.in("a")', '1:12', methods, 'in'],
    ['event_type.contains', '1:20', '(', 'the end'],
    ['event_type.contains()', '1:21', 'a text in quotes', ')'],
    ['event_type.contains(5)', '1:21', 'a text in quotes', '5'],
    ['event_type.contains(provider)', '1:21', 'a text in quotes', 'provider'],
    ['event_type.contains("a", "b")', '1:24', ')', ','],
    ['event_type.contains("a"', '1:24', ')', 'the end'],
    // Lists.
    ['provider in []', '1:14', 'a text in quotes', ']'],
    ['provider in ["a",]', '1:18', 'a text in quotes', ']'],
    ['provider in ["a" "b"]', '1:18', ', or ]', '"b"'],
    ['provider in ["a", 5]', '1:19', 'a text in quotes', '5'],
    ['provider in [provider]', '1:14', 'a text in quotes', 'provider'],
    ['attempts in [1', '1:15', ', or ]', 'the end'],
    ['attempts in 5', '1:13', '[', '5'],
    // Chains.
    ['provider == "a" == "a"', '1:17', 'and, or or the end', '=='],
    ['provider == "a" in ["a"]', '1:17', 'and, or or the end', 'in'],
    ['(provider == "a" != "b")', '1:18', 'and, or or )', '!='],
    ['(true) == true', '1:8', 'and, or or the end', '=='],
    ['true and (false', '1:16', '==, !=, in, and, or or )', 'the end'],
    // Literals.
    ['attempts == 1.5', '1:13', whole, '1.5'],
    ['attempts == 1e3', '1:13', whole, '1e3'],
    ['attempts == 0x10', '1:13', whole, '0x10'],
    ['attempts == 5abc', '1:13', whole, '5abc'],
    ['attempts == 9007199254740992', '1:13', whole, '9007199254740992'],
    ['attempts == -9007199254740992', '1:13', whole, '-9007199254740992'],
    ['attempts == - 1', '1:13', 'a whole number', '-'],
    ['provider == "abc', '1:13', 'a closing " for this text', 'the end'],
    ["provider == 'abc\\'", '1:13', "a closing ' for this text", 'the end'],
    ['provider == "', '1:13', 'a closing " for this text', 'the end'],
    [String.raw`provider == "ab\q"`, '1:16', escapes, String.raw`\q`],
    [String.raw`provider.contains('\u0041')`, '1:20', escapes, String.raw`\u`],
    ['provider == "😀\\😀"', '1:15', escapes, '\\😀'],
    // Order.
    ['provider > "a"', '1:10', ofText, '>'],
    ['delivery_failed > false', '1:17', '==, !=, in, and, or or the end', '>'],
    ['attempts > "5"', '1:12', 'a whole number', '"5"'],
    ['attempts >= 1.5', '1:13', whole, '1.5'],
    ['attempts => 5', '1:10', ofNumber, '='],
    ['1.5 == provider', '1:8', 'a number', 'provider'],
    ['payload.x < "a"', '1:13', 'a number', '"a"'],
    ['payload.x >= provider', '1:14', 'a number', 'provider'],
    ['payload.x < header["a"]', '1:13', 'a number', 'header'],
    // Values of the payload.
    ['payload.x = 5', '1:11', `${ofAny} or the end`, '='],
    ['(payload.x', '1:11', `${ofAny} or )`, 'the end'],
    ['payload.', '1:9', 'a name', 'the end'],
    ['payload.5', '1:9', 'a name', '5'],
    ['payload.été', '1:9', 'a name', 'é'],
    ['payload.a-b', '1:10', `${ofAny} or the end`, '-'],
    ['payload[', '1:9', 'a text in quotes or an index', 'the end'],
    ['payload[x]', '1:9', 'a text in quotes or an index', 'x'],
    ['payload[-1]', '1:9', 'an index from 0', '-1'],
    ['payload[1.5]', '1:9', 'an index from 0', '1.5'],
    ['payload[9007199254740992]', '1:9', 'an index from 0', '9007199254740992'],
    ['payload["a"', '1:12', ']', 'the end'],
    ['payload.x.toString("a")', '1:11', methods, 'toString'],
    ['payload.x == foo', '1:14', anyLiteral, 'foo'],
    ['payload.x in []', '1:15', anyLiteral, ']'],
    ['Payload.x', '1:1', names, 'Payload'],
    ['payload.x == 5x', '1:14', number, '5x'],
    ['payload.x == 1e3', '1:14', number, '1e3'],
    ['payload.x == 1.', '1:14', number, '1.'],
    [`payload.x == ${'9'.repeat(400)}.5`, '1:14', number, `${'9'.repeat(40)}…`],
    // Headers.
    ['header == "a"', '1:8', '[', '=='],
    ['header.x == "a"', '1:7', '[', '.'],
    ['header[0] == "a"', '1:8', 'a text in quotes', '0'],
    ['header["a"]', '1:12', ofText, 'the end'],
    ['header["a"] == 5', '1:16', 'a text in quotes', '5'],
    ['attempts == header["a"]', '1:13', 'a whole number', 'header'],
    // Functions.
    ['exists', '1:7', '(', 'the end'],
    ['exists()', '1:8', 'payload or header', ')'],
    ['exists(provider)', '1:8', 'payload or header', 'provider'],
    ['exists(payload.x) == true', '1:19', 'and, or or the end', '=='],
    ['matches(attempts, "a")', '1:9', 'a text in quotes', 'attempts'],
    ['matches(payload.x)', '1:18', ',', ')'],
    ['matches(payload.x, payload.y)', '1:20', 'a text in quotes', 'payload'],
    ['matches(payload.x, "a(b")', '1:20', 'a regular expression of RE2', '"a(b"'],
    [String.raw`matches(payload.x, "(a)\\1")`, '1:20', 'a regular expression of RE2', String.raw`"(a)\\1"`],
    ['matches(payload.x, "(?=a)")', '1:20', 'a regular expression of RE2', '"(?=a)"'],
    ['matches(payload.x, "a{1001}")', '1:20', 'a regular expression of RE2', '"a{1001}"'],
    ['matches(payload.x, "(?:a?){900}")', '1:20', 'a regular expression of at most 1000 steps', '"(?:a?){900}"'],
    // Line and column.
    ['delivery_failed\nand\r\n  provider == 5', '3:15', 'a text in quotes', '5'],
    ['delivery_failed\rand provider == 5', '2:17', 'a text in quotes', '5'],
    ['"😀" == "e\u0301" and #', '1:17', 'a condition', '#'],
    ['provider == "a\nb" #', '2:4', 'and, or or the end', '#'],
    // Only the first of several errors.
    ['provider == 5 and )', '1:13', 'a text in quotes', '5'],
    ['true and ) and provider == 5', '1:10', 'a condition', ')'],
    // The text found is shown on one line and shortened.
    ['\u0007', '1:1', 'a condition', 'U+0007'],
    ['\u202e', '1:1', 'a condition', 'U+202E'],
    ['\ud800', '1:1', 'a condition', 'U+D800'],
    ['attempts == "a\nb"', '1:13', 'a whole number', '"aU+000Ab"'],
    [`attempts == "${'x'.repeat(50)}"`, '1:13', 'a whole number', `"${'x'.repeat(39)}…`],
    // Limits.
    [`event_type == "${'x'.repeat(985)}"`, '1:1001', length, '1001'],
    [' '.repeat(1001), '1:1001', length, '1001'],
    ['('.repeat(2 ** 20), '1:1001', length, '1048576'],
    [`${'('.repeat(51)}true${')'.repeat(51)}`, '1:51', levels, 'one more'],
    [`${'not '.repeat(51)}true`, '1:201', levels, 'one more'],
    [`${'not ('.repeat(25)}not true${')'.repeat(25)}`, '1:126', levels, 'one more'],
    ['('.repeat(1000), '1:51', levels, 'one more'],
  ] satisfies [text: string, position: string, expected: string, found: string][];
  for (const [text, position, expected, found] of refused)
    test(titleOf(text), () => expect(errorOf(text)).toBe(`${position} expected ${expected}, found ${found}`));
});
