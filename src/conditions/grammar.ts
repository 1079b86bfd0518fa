import { EMPTY_ALT, EOF, type IOrAlt, type IToken, type ParserMethod, tokenMatcher } from 'chevrotain';
import { ConditionError } from './condition-error.ts';
import { expectations } from './expectations.ts';
import { readPattern, readText } from './literals.ts';
import { OperandGrammar } from './operand-grammar.ts';
import { deeper, expectFollower, type Place } from './place.ts';
import * as t from './tokens.ts';
import {
  type Comparator,
  type Condition,
  comparators,
  type Header,
  type Kind,
  kindOf,
  type LiteralValue,
  type Method,
  methods,
  type Operand,
  type PayloadPath,
} from './tree.ts';

function comparatorOf({ image }: IToken): Comparator {
  const found = comparators.find((comparator) => comparator === image);
  if (found === undefined) throw new Error('a comparison without a comparator');
  return found;
}

const isMethod = (name: string): name is Method => methods.some((method) => method === name);

/**
 * The grammar (docs/notifications.md), by increasing precedence: `or`, `and`, `not`, then a test of one value. Code in
 * `ACTION` does not run while Chevrotain records the grammar with dummy tokens.
 *
 * Rules throw a ConditionError for a wrong value. Errors about unexpected tokens are in `errors`.
 */
export class ConditionGrammar extends OperandGrammar {
  constructor() {
    super();
    this.performSelfAnalysis();
  }

  readonly condition: ParserMethod<[], Condition> = this.RULE('condition', () => {
    const condition = this.SUBRULE(this.either, { ARGS: [{ level: 0, end: 'the end' }] });
    this.CONSUME(EOF, { ERR_MSG: 'and, or or the end' });
    return condition;
  });

  readonly either: ParserMethod<[Place], Condition> = this.RULE('either', (place: Place): Condition => {
    const first = this.SUBRULE(this.both, { ARGS: [place] });
    const more: Condition[] = [];
    this.MANY(() => {
      this.CONSUME(t.Or);
      more.push(this.SUBRULE2(this.both, { ARGS: [place] }));
    });
    return more.length === 0 ? first : { kind: 'or', operands: [first, ...more] };
  });

  readonly both: ParserMethod<[Place], Condition> = this.RULE('both', (place: Place): Condition => {
    const first = this.SUBRULE(this.unary, { ARGS: [place] });
    const more: Condition[] = [];
    this.MANY(() => {
      this.CONSUME(t.And);
      more.push(this.SUBRULE2(this.unary, { ARGS: [place] }));
    });
    return more.length === 0 ? first : { kind: 'and', operands: [first, ...more] };
  });

  readonly unary: ParserMethod<[Place], Condition> = this.RULE('unary', (place: Place) =>
    this.OR<IOrAlt<Condition>[]>({
      DEF: [
        {
          ALT: (): Condition => {
            const token = this.CONSUME(t.Not);
            const inner = this.ACTION(() => deeper(place, token, place.end));
            return { kind: 'not', operand: this.SUBRULE(this.unary, { ARGS: [inner] }) };
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(t.Open);
            const inner = this.ACTION(() => deeper(place, token, ')'));
            const condition = this.SUBRULE(this.either, { ARGS: [inner] });
            this.CONSUME(t.Close, { ERR_MSG: 'and, or or )' });
            return condition;
          },
        },
        { ALT: () => this.SUBRULE(this.exists) },
        { ALT: () => this.SUBRULE(this.matches) },
        { ALT: () => this.SUBRULE(this.question, { ARGS: [place] }) },
      ],
      ERR_MSG: expectations.condition,
    }),
  );

  readonly question: ParserMethod<[Place], Condition> = this.RULE('question', (place: Place) => {
    const left = this.SUBRULE(this.operand, { ARGS: [null] });
    const kind = this.ACTION(() => {
      expectFollower(kindOf(left), this.LA(1), place);
      return kindOf(left);
    });
    return this.OR<IOrAlt<Condition>[]>([
      { ALT: () => this.SUBRULE(this.comparison, { ARGS: [left, kind] }) },
      {
        ALT: () => {
          this.CONSUME(t.In);
          return { kind: 'in', left, values: this.SUBRULE(this.list, { ARGS: [kind] }) };
        },
      },
      { ALT: () => this.SUBRULE(this.call, { ARGS: [left] }) },
      { ALT: EMPTY_ALT<Condition>({ kind: 'alone', operand: left }) },
    ]);
  });

  readonly comparison: ParserMethod<[Operand, Kind], Condition> = this.RULE(
    'comparison',
    (left: Operand, kind: Kind): Condition => {
      const sign = this.OR<IOrAlt<IToken>[]>([
        { ALT: () => this.CONSUME(t.Equality) },
        { ALT: () => this.CONSUME(t.Ordering) },
      ]);
      const isOrder = this.ACTION(() => tokenMatcher(sign, t.Ordering));
      // Only numbers have an order.
      const right = this.SUBRULE(this.operand, { ARGS: [kind === 'any' && isOrder ? 'number' : kind] });
      return { kind: 'compare', operator: this.ACTION(() => comparatorOf(sign)), left, right };
    },
  );

  readonly list: ParserMethod<[Kind], LiteralValue[]> = this.RULE('list', (kind: Kind) => {
    this.CONSUME(t.OpenList, { ERR_MSG: '[' });
    const values = [this.SUBRULE(this.literal, { ARGS: [kind] }).value];
    this.MANY(() => {
      this.CONSUME(t.Comma);
      values.push(this.SUBRULE2(this.literal, { ARGS: [kind] }).value);
    });
    this.CONSUME(t.CloseList, { ERR_MSG: ', or ]' });
    return values;
  });

  readonly call: ParserMethod<[Operand], Condition> = this.RULE('call', (left: Operand): Condition => {
    this.CONSUME(t.Dot);
    const name = this.CONSUME(t.Name, { ERR_MSG: expectations.method });
    const method = this.ACTION(() => {
      if (!isMethod(name.image)) throw ConditionError.at(name, expectations.method);
      return name.image;
    });
    this.CONSUME(t.Open, { ERR_MSG: '(' });
    const argument = this.CONSUME(t.Text, { ERR_MSG: expectations.literal.text });
    const text = this.ACTION(() => readText(argument));
    this.CONSUME(t.Close, { ERR_MSG: ')' });
    return { kind: 'method', method, left, text };
  });

  readonly exists: ParserMethod<[], Condition> = this.RULE('exists', (): Condition => {
    this.CONSUME(t.Exists);
    this.CONSUME(t.Open, { ERR_MSG: '(' });
    const operand = this.OR<IOrAlt<PayloadPath | Header>[]>({
      DEF: [{ ALT: () => this.SUBRULE(this.payload) }, { ALT: () => this.SUBRULE(this.header) }],
      ERR_MSG: expectations.content,
    });
    this.CONSUME(t.Close, { ERR_MSG: ')' });
    return { kind: 'exists', operand };
  });

  readonly matches: ParserMethod<[], Condition> = this.RULE('matches', (): Condition => {
    this.CONSUME(t.Matches);
    this.CONSUME(t.Open, { ERR_MSG: '(' });
    const left = this.SUBRULE(this.operand, { ARGS: ['text'] });
    this.CONSUME(t.Comma, { ERR_MSG: ',' });
    const argument = this.CONSUME(t.Text, { ERR_MSG: expectations.literal.text });
    const pattern = this.ACTION(() => readPattern(argument));
    this.CONSUME(t.Close, { ERR_MSG: ')' });
    return { kind: 'matches', left, pattern };
  });
}
